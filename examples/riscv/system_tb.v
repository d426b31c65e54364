// Runs the four programs of system.v until all have ended, and prints the lines that they write, each after its node.
`timescale 1ns / 1ns
module system_tb;
    localparam LIMIT = 200000;
    reg          clk = 0, resetn = 0;
    wire [3:0]   console_valid, ended, wrong;
    wire [31:0]  console_data;
    wire [127:0] status;

    system dut (
        .clk(clk), .resetn(resetn), .console_valid(console_valid), .console_data(console_data),
        .ended(ended), .status(status), .wrong(wrong)
    );

    always #5 clk = !clk;

    // A line of up to 80 characters of each node, the last one lowest.
    reg [639:0] line [0:3];
    integer     v, cycle = 0;
    initial for (v = 0; v < 4; v = v + 1) line[v] = 0;
    always @(negedge clk) begin
        cycle <= cycle + 1;
        resetn <= cycle > 2;
        for (v = 0; v < 4; v = v + 1)
            if (resetn && console_valid[v]) begin
                if (console_data[8*v +: 8] != "\n") line[v] = {line[v][631:0], console_data[8*v +: 8]};
                else begin
                    $display("node %0d: %0s", v, line[v]);
                    line[v] = 0;
                end
            end
        if (resetn && wrong != 0) begin
            $display("FAIL: nodes %b of 3 to 0 have a trap or an access to nothing, cycle %0d", wrong, cycle);
            $finish;
        end else if (&ended) begin
            if (status == 0) $display("PASS: all programs ended with status 0 after %0d cycles", cycle);
            else $display("FAIL: status of nodes 3 to 0: %h", status);
            $finish;
        end else if (cycle == LIMIT) begin
            $display("FAIL: nodes %b of 3 to 0 have ended after %0d cycles", ended, cycle);
            $finish;
        end
    end
endmodule
