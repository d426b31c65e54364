// Self-checking testbench of square.v, in plain Verilog:
//   iverilog -g2012 -o build/square/square_tb examples/square_tb.v examples/square.v build/square/cubecast_router.v
//   build/square/square_tb
// Node 0 sends one message to all, and one to nodes 1 and 3; every node must get what it is to get, and nothing else.
`timescale 1ns / 1ns
module square_tb;
    reg          clk = 0, rst = 1;
    reg  [3:0]   inject_valid = 0, inject_last = 0;
    reg  [127:0] inject_data = 0;
    wire [3:0]   inject_ready, eject_valid, eject_last, eject_error, report_valid, multiple_faults;
    wire [127:0] eject_data, control_read_data;

    always #5 clk = !clk;

    square dut (
        .clk(clk), .rst(rst),
        .inject_valid(inject_valid), .inject_data(inject_data), .inject_last(inject_last), .inject_ready(inject_ready),
        .eject_valid(eject_valid), .eject_data(eject_data), .eject_last(eject_last), .eject_error(eject_error),
        .eject_ready(4'b1111),
        .control_address(28'd0), .control_write(4'd0), .control_write_data(128'd0), .control_read_data(control_read_data),
        .report_valid(report_valid), .multiple_faults(multiple_faults)
    );

    // k = 3 = 2^n - 1 is a broadcast; its control vector is all ones. k = 2 is a list; its control vector is 0.
    reg [32:0] words [0:8];
    initial begin
        words[0] = {1'b0, 32'd3};
        words[1] = {1'b0, 32'd3};
        words[2] = {1'b0, 32'd42};
        words[3] = {1'b1, 32'd43};
        words[4] = {1'b0, 32'd2};
        words[5] = {1'b0, 32'd1};
        words[6] = {1'b0, 32'd3};
        words[7] = {1'b0, 32'd0};
        words[8] = {1'b1, 32'd99};
    end

    integer i, node, at, wrong = 0;
    integer got [0:3];
    reg [31:0] sum [0:3];

    initial begin
        for (node = 0; node < 4; node = node + 1) begin
            got[node] = 0;
            sum[node] = 0;
        end
        repeat (2) @(negedge clk);
        rst = 0;
        i = 0;
        while (i < 9) begin
            inject_valid[0] = 1;
            {inject_last[0], inject_data[31:0]} = words[i];
            #1;
            if (inject_ready[0]) i = i + 1;
            @(negedge clk);
        end
        inject_valid[0] = 0;
        repeat (60) @(negedge clk);
        // A delivery is the control word, which is not counted here, and the payload.
        if (got[0] !== 0 || got[1] !== 2 || got[2] !== 1 || got[3] !== 2) wrong = wrong + 1;
        if (sum[1] !== 42 + 43 + 99 || sum[2] !== 42 + 43 || sum[3] !== 42 + 43 + 99) wrong = wrong + 1;
        if (wrong == 0) $display("PASS: messages delivered to nodes 0 to 3: %0d %0d %0d %0d", got[0], got[1], got[2], got[3]);
        else $display("FAIL: messages delivered to nodes 0 to 3: %0d %0d %0d %0d", got[0], got[1], got[2], got[3]);
        $finish;
    end

    reg [3:0] busy = 0;
    always @(negedge clk) begin
        if (report_valid !== 0 && !rst) wrong = wrong + 1;
        for (at = 0; at < 4; at = at + 1)
            if (eject_valid[at] && !rst) begin
                if (busy[at]) sum[at] = sum[at] + eject_data[32*at +: 32];
                busy[at] = !eject_last[at];
                if (eject_last[at]) got[at] = got[at] + 1;
                if (eject_last[at] && eject_error[at]) wrong = wrong + 1;
            end
    end
endmodule
