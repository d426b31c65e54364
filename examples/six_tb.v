// Self-checking testbench of six.v, in plain Verilog:
//   iverilog -g2012 -o build/six/six_tb examples/six_tb.v examples/six.v build/six/cubecast_router.v
//   build/six/six_tb
// Each of the six nodes sends one message to all and then one to node 5 - v alone. Every node must get six messages,
// with the numbers of their senders and without error; only that a broadcast misses node 6 or 7 may be reported.
`timescale 1ns / 1ns
module six_tb;
    reg          clk = 0, rst = 1;
    reg  [5:0]   inject_valid = 0, inject_last = 0;
    reg  [191:0] inject_data = 0;
    wire [5:0]   inject_ready, eject_valid, eject_last, eject_error, report_valid, multiple_faults;
    wire [191:0] eject_data;
    wire [23:0]  report_reason;
    wire [17:0]  report_destination;

    always #5 clk = !clk;

    six dut (
        .clk(clk), .rst(rst),
        .inject_valid(inject_valid), .inject_data(inject_data), .inject_last(inject_last), .inject_ready(inject_ready),
        .eject_valid(eject_valid), .eject_data(eject_data), .eject_last(eject_last), .eject_error(eject_error),
        .eject_ready(6'b111111), .report_valid(report_valid), .report_reason(report_reason),
        .report_destination(report_destination), .multiple_faults(multiple_faults)
    );

    // A broadcast: k = 7 = 2^n - 1, control vector all ones, payload. A unicast: k = 1, destination, control vector 0,
    // payload.
    function [31:0] word(input integer node, input integer place);
        case (place)
            0: word = 7;
            1: word = 7;
            2: word = 32'd1 << 4 * node;
            3: word = 1;
            4: word = 5 - node;
            5: word = 0;
            default: word = 32'd1 << 4 * node;
        endcase
    endfunction

    integer node, at, wrong = 0;
    integer i [0:5];
    integer got [0:5];
    reg [31:0] sum [0:5];

    initial begin
        for (node = 0; node < 6; node = node + 1) begin
            i[node] = 0;
            got[node] = 0;
            sum[node] = 0;
        end
        repeat (2) @(negedge clk);
        rst = 0;
        repeat (100) begin
            for (node = 0; node < 6; node = node + 1) begin
                inject_valid[node] = i[node] < 7;
                inject_last[node] = i[node] == 2 || i[node] == 6;
                inject_data[32*node +: 32] = word(node, i[node]);
            end
            #1;
            for (node = 0; node < 6; node = node + 1)
                if (inject_valid[node] && inject_ready[node]) i[node] = i[node] + 1;
            @(negedge clk);
        end
        // One hexadecimal digit for each sender: the five others, and once more the one that wrote to this node alone.
        for (node = 0; node < 6; node = node + 1)
            if (got[node] !== 6 || sum[node] !== 32'h111111 - (32'd1 << 4 * node) + (32'd1 << 4 * (5 - node)))
                wrong = wrong + 1;
        if (multiple_faults !== 0) wrong = wrong + 1;
        if (wrong == 0) $display("PASS: every node got its 6 messages");
        else $display("FAIL: messages delivered to nodes 0 to 5: %0d %0d %0d %0d %0d %0d",
                      got[0], got[1], got[2], got[3], got[4], got[5]);
        $finish;
    end

    // A delivery is the control word, which is not counted, and one word of payload.
    reg [5:0] busy = 0;
    always @(negedge clk) begin
        // Reason 6 is UNDELIVERABLE.
        for (at = 0; at < 6; at = at + 1)
            if (report_valid[at] !== 0 && !rst)
                if (report_reason[4*at +: 4] !== 6 || report_destination[3*at +: 3] < 6) wrong = wrong + 1;
        for (at = 0; at < 6; at = at + 1)
            if (eject_valid[at] && !rst) begin
                if (busy[at]) sum[at] = sum[at] + eject_data[32*at +: 32];
                busy[at] = !eject_last[at];
                if (eject_last[at]) got[at] = got[at] + 1;
                if (eject_last[at] && eject_error[at]) wrong = wrong + 1;
            end
    end
endmodule
