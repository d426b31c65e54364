// Six cubecast routers, nodes 0 to 5 of a 3-cube whose nodes 6 and 7 do not exist: generate them with
//   cubecast generate router --dim 3 --max-data 4 -o build/six
// Node v's link_out__j leads to link_in__j of node v XOR 2^j. What would come from a missing node is tied: all 0, but
// down 1. The routers go around such links, and report the nodes that a broadcast misses. Ports of node v are item v of
// the packed ports.
module six (
    input  wire         clk,
    input  wire         rst,
    input  wire [5:0]   inject_valid,
    input  wire [191:0] inject_data,
    input  wire [5:0]   inject_last,
    output wire [5:0]   inject_ready,
    output wire [5:0]   eject_valid,
    output wire [191:0] eject_data,
    output wire [5:0]   eject_last,
    output wire [5:0]   eject_error,
    input  wire [5:0]   eject_ready,
    output wire [5:0]   report_valid,
    output wire [23:0]  report_reason,
    output wire [17:0]  report_destination,
    output wire [5:0]   multiple_faults
);
    // What node v sends in dimension j is item 3 * v + j.
    wire [23:0]  valid, last, error, down;
    wire [767:0] data;
    wire [47:0]  lane;
    wire [71:0]  ready;
    // What goes to missing nodes is read by nobody else.
    wire         unused_ends = ^{valid, last, error, down, data, lane, ready};

    genvar v;
    generate
        for (v = 0; v < 8; v = v + 1) begin : node
            if (v < 6) begin : present
                wire [31:0] unused_read_data;
                wire [3:0]  unused_port, unused_lane;
                cubecast_router router (
                    .clk                 (clk),
                    .rst                 (rst),
                    .address             (v[2:0]),
                    .link_out__0__valid  (valid[3 * v + 0]),
                    .link_out__0__data   (data[32 * (3 * v + 0) +: 32]),
                    .link_out__0__last   (last[3 * v + 0]),
                    .link_out__0__error  (error[3 * v + 0]),
                    .link_out__0__lane   (lane[2 * (3 * v + 0) +: 2]),
                    .link_out__0__down   (down[3 * v + 0]),
                    .link_out__0__ready  (ready[3 * (3 * v + 0) +: 3]),
                    .link_in__0__valid   (valid[3 * (v ^ 1) + 0]),
                    .link_in__0__data    (data[32 * (3 * (v ^ 1) + 0) +: 32]),
                    .link_in__0__last    (last[3 * (v ^ 1) + 0]),
                    .link_in__0__error   (error[3 * (v ^ 1) + 0]),
                    .link_in__0__lane    (lane[2 * (3 * (v ^ 1) + 0) +: 2]),
                    .link_in__0__down    (down[3 * (v ^ 1) + 0]),
                    .link_in__0__ready   (ready[3 * (3 * (v ^ 1) + 0) +: 3]),
                    .link_out__1__valid  (valid[3 * v + 1]),
                    .link_out__1__data   (data[32 * (3 * v + 1) +: 32]),
                    .link_out__1__last   (last[3 * v + 1]),
                    .link_out__1__error  (error[3 * v + 1]),
                    .link_out__1__lane   (lane[2 * (3 * v + 1) +: 2]),
                    .link_out__1__down   (down[3 * v + 1]),
                    .link_out__1__ready  (ready[3 * (3 * v + 1) +: 3]),
                    .link_in__1__valid   (valid[3 * (v ^ 2) + 1]),
                    .link_in__1__data    (data[32 * (3 * (v ^ 2) + 1) +: 32]),
                    .link_in__1__last    (last[3 * (v ^ 2) + 1]),
                    .link_in__1__error   (error[3 * (v ^ 2) + 1]),
                    .link_in__1__lane    (lane[2 * (3 * (v ^ 2) + 1) +: 2]),
                    .link_in__1__down    (down[3 * (v ^ 2) + 1]),
                    .link_in__1__ready   (ready[3 * (3 * (v ^ 2) + 1) +: 3]),
                    .link_out__2__valid  (valid[3 * v + 2]),
                    .link_out__2__data   (data[32 * (3 * v + 2) +: 32]),
                    .link_out__2__last   (last[3 * v + 2]),
                    .link_out__2__error  (error[3 * v + 2]),
                    .link_out__2__lane   (lane[2 * (3 * v + 2) +: 2]),
                    .link_out__2__down   (down[3 * v + 2]),
                    .link_out__2__ready  (ready[3 * (3 * v + 2) +: 3]),
                    .link_in__2__valid   (valid[3 * (v ^ 4) + 2]),
                    .link_in__2__data    (data[32 * (3 * (v ^ 4) + 2) +: 32]),
                    .link_in__2__last    (last[3 * (v ^ 4) + 2]),
                    .link_in__2__error   (error[3 * (v ^ 4) + 2]),
                    .link_in__2__lane    (lane[2 * (3 * (v ^ 4) + 2) +: 2]),
                    .link_in__2__down    (down[3 * (v ^ 4) + 2]),
                    .link_in__2__ready   (ready[3 * (3 * (v ^ 4) + 2) +: 3]),
                    .inject__valid       (inject_valid[v]),
                    .inject__data        (inject_data[32 * v +: 32]),
                    .inject__last        (inject_last[v]),
                    .inject__error       (1'b0),
                    .inject__ready       (inject_ready[v]),
                    .eject__valid        (eject_valid[v]),
                    .eject__data         (eject_data[32 * v +: 32]),
                    .eject__last         (eject_last[v]),
                    .eject__error        (eject_error[v]),
                    .eject__ready        (eject_ready[v]),
                    .control__address    (7'd0),
                    .control__write      (1'b0),
                    .control__write_data (32'd0),
                    .control__read_data  (unused_read_data),
                    .report__valid       (report_valid[v]),
                    .report__reason      (report_reason[4 * v +: 4]),
                    .report__destination (report_destination[3 * v +: 3]),
                    .report__port        (unused_port),
                    .report__lane        (unused_lane),
                    .multiple_faults     (multiple_faults[v])
                );
            end else begin : missing
                assign valid[3 * v +: 3] = 3'd0;
                assign data[96 * v +: 96] = 96'd0;
                assign last[3 * v +: 3] = 3'd0;
                assign error[3 * v +: 3] = 3'd0;
                assign lane[6 * v +: 6] = 6'd0;
                assign down[3 * v +: 3] = 3'b111;
                assign ready[3 * (3 * (v ^ 1) + 0) +: 3] = 3'd0;
                assign ready[3 * (3 * (v ^ 2) + 1) +: 3] = 3'd0;
                assign ready[3 * (3 * (v ^ 4) + 2) +: 3] = 3'd0;
            end
        end
    endgenerate
endmodule
