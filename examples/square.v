// Four cubecast routers as a 2-cube: generate them with
//   cubecast generate router --dim 2 --max-data 4 -o build/square
// With build/square/cubecast_router.vlt before it, Verilator has nothing to say (-Wall).
// Node v's link_out__j leads to link_in__j of node v XOR 2^j. Ports of node v are item v of the packed ports.
module square (
    input  wire         clk,
    input  wire         rst,
    input  wire [3:0]   inject_valid,
    input  wire [127:0] inject_data,
    input  wire [3:0]   inject_last,
    output wire [3:0]   inject_ready,
    output wire [3:0]   eject_valid,
    output wire [127:0] eject_data,
    output wire [3:0]   eject_last,
    output wire [3:0]   eject_error,
    input  wire [3:0]   eject_ready,
    input  wire [27:0]  control_address,
    input  wire [3:0]   control_write,
    input  wire [127:0] control_write_data,
    output wire [127:0] control_read_data,
    output wire [3:0]   report_valid,
    output wire [3:0]   multiple_faults
);
    // What node v sends in dimension j is item 2 * v + j.
    wire [7:0]   valid, last, error, down;
    wire [255:0] data;
    wire [7:0]   lane;
    wire [15:0]  ready;

    genvar v;
    generate
        for (v = 0; v < 4; v = v + 1) begin : node
            // Reports are counted and logged inside too; here nobody looks at more than report__valid.
            wire [3:0] unused_reason, unused_port, unused_lane;
            wire [1:0] unused_destination;
            cubecast_router router (
                .clk                (clk),
                .rst                (rst),
                .address            (v[1:0]),
                .link_out__0__valid  (valid[2*v+0]),
                .link_out__0__data   (data[32*(2*v+0) +: 32]),
                .link_out__0__last   (last[2*v+0]),
                .link_out__0__error  (error[2*v+0]),
                .link_out__0__lane   (lane[2*v+0]),
                .link_out__0__down   (down[2*v+0]),
                .link_out__0__ready  (ready[2*(2*v+0) +: 2]),
                .link_in__0__valid   (valid[2*(v^1)+0]),
                .link_in__0__data    (data[32*(2*(v^1)+0) +: 32]),
                .link_in__0__last    (last[2*(v^1)+0]),
                .link_in__0__error   (error[2*(v^1)+0]),
                .link_in__0__lane    (lane[2*(v^1)+0]),
                .link_in__0__down    (down[2*(v^1)+0]),
                .link_in__0__ready   (ready[2*(2*(v^1)+0) +: 2]),
                .link_out__1__valid  (valid[2*v+1]),
                .link_out__1__data   (data[32*(2*v+1) +: 32]),
                .link_out__1__last   (last[2*v+1]),
                .link_out__1__error  (error[2*v+1]),
                .link_out__1__lane   (lane[2*v+1]),
                .link_out__1__down   (down[2*v+1]),
                .link_out__1__ready  (ready[2*(2*v+1) +: 2]),
                .link_in__1__valid   (valid[2*(v^2)+1]),
                .link_in__1__data    (data[32*(2*(v^2)+1) +: 32]),
                .link_in__1__last    (last[2*(v^2)+1]),
                .link_in__1__error   (error[2*(v^2)+1]),
                .link_in__1__lane    (lane[2*(v^2)+1]),
                .link_in__1__down    (down[2*(v^2)+1]),
                .link_in__1__ready   (ready[2*(2*(v^2)+1) +: 2]),
                .inject__valid      (inject_valid[v]),
                .inject__data       (inject_data[32*v +: 32]),
                .inject__last       (inject_last[v]),
                .inject__error      (1'b0),
                .inject__ready      (inject_ready[v]),
                .eject__valid       (eject_valid[v]),
                .eject__data        (eject_data[32*v +: 32]),
                .eject__last        (eject_last[v]),
                .eject__error       (eject_error[v]),
                .eject__ready       (eject_ready[v]),
                .control__address   (control_address[7*v +: 7]),
                .control__write     (control_write[v]),
                .control__write_data(control_write_data[32*v +: 32]),
                .control__read_data (control_read_data[32*v +: 32]),
                .report__valid      (report_valid[v]),
                .report__reason     (unused_reason),
                .report__destination(unused_destination),
                .report__port       (unused_port),
                .report__lane       (unused_lane),
                .multiple_faults    (multiple_faults[v])
            );
        end
    endgenerate
endmodule
