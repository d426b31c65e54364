// A processor beside a router: PicoRV32, 16 KiB of memory that begin as its program, and a word-wide FIFO for messages.
// What the program finds where:
//   0x0000_0000  memory
//   0x1000_0000  write: a word for the router; + 4, write: send it, with tlast (bit 0) and tuser (bit 1)
//                + 8, read: the oldest word that came; + 12, read: tlast and tuser beside it, and take it away
//   0x2000_0000  write: a character for the console; + 4, write: the program ends with this status
//   0x3000_0000  read: the node's address
//   0x4000_0000  registers of the router, AXI4-Lite
// An access waits until it is possible: a word to send until the router takes it, a word to read until one is there.
module node #(
    parameter PROGRAM = "program.hex"
) (
    input  wire        clk,
    input  wire        resetn,
    input  wire [1:0]  address,
    // Messages, as AXI4-Streams.
    output wire [31:0] send_tdata,
    output wire        send_tvalid,
    output wire        send_tlast,
    output wire        send_tuser,
    input  wire        send_tready,
    input  wire [31:0] receive_tdata,
    input  wire        receive_tvalid,
    input  wire        receive_tlast,
    input  wire        receive_tuser,
    output wire        receive_tready,
    // The router's registers, as AXI4-Lite.
    output wire        awvalid,
    output wire [8:0]  awaddr,
    output wire [2:0]  awprot,
    input  wire        awready,
    output wire        wvalid,
    output wire [31:0] wdata,
    output wire [3:0]  wstrb,
    input  wire        wready,
    input  wire        bvalid,
    input  wire [1:0]  bresp,
    output wire        bready,
    output wire        arvalid,
    output wire [8:0]  araddr,
    output wire [2:0]  arprot,
    input  wire        arready,
    input  wire        rvalid,
    input  wire [31:0] rdata,
    input  wire [1:0]  rresp,
    output wire        rready,
    // What the outside sees: characters, the end, and accesses and instructions that there are not.
    output wire        console_valid,
    output wire [7:0]  console_data,
    output reg         ended,
    output reg  [31:0] status,
    output wire        wrong
);
    wire        trap, valid, instr, ready;
    wire [31:0] at, write_data, read_data;
    wire [3:0]  strobe;

    picorv32 #(
        .ENABLE_COUNTERS(0), .BARREL_SHIFTER(1), .STACKADDR(32'h0000_4000)
    ) cpu (
        .clk(clk), .resetn(resetn), .trap(trap),
        .mem_valid(valid), .mem_instr(instr), .mem_ready(ready), .mem_addr(at),
        .mem_wdata(write_data), .mem_wstrb(strobe), .mem_rdata(read_data),
        .mem_la_read(), .mem_la_write(), .mem_la_addr(), .mem_la_wdata(), .mem_la_wstrb(),
        .pcpi_valid(), .pcpi_insn(), .pcpi_rs1(), .pcpi_rs2(),
        .pcpi_wr(1'b0), .pcpi_rd(32'd0), .pcpi_wait(1'b0), .pcpi_ready(1'b0),
        .irq(32'd0), .eoi(), .trace_valid(), .trace_data()
    );

    wire       write = strobe != 0;
    wire       in_memory  = valid && at[31:14] == 0;
    wire       in_fifo    = valid && at[31:4] == 28'h1000_000;
    wire       in_console = valid && at[31:3] == {28'h2000_000, 1'b0} && write;
    wire       in_address = valid && at == 32'h3000_0000 && !write;
    wire       in_router  = valid && at[31:9] == {20'h4000_0, 3'd0};
    wire [1:0] word = at[3:2];

    reg [31:0] memory [0:4095];
    reg [31:0] memory_data;
    reg        memory_ready;
    integer    lane;
    initial $readmemh(PROGRAM, memory);
    always @(posedge clk) begin
        memory_ready <= resetn && in_memory && !memory_ready;
        memory_data <= memory[at[13:2]];
        for (lane = 0; lane < 4; lane = lane + 1)
            if (in_memory && strobe[lane]) memory[at[13:2]][8*lane +: 8] <= write_data[8*lane +: 8];
    end

    reg [31:0] to_send;
    always @(posedge clk) if (in_fifo && write && word == 0) to_send <= write_data;
    assign send_tdata  = to_send;
    assign send_tlast  = write_data[0];
    assign send_tuser  = write_data[1];
    assign send_tvalid = in_fifo && write && word == 1;

    // Words that came, with tuser and tlast: room for all that the other nodes send before this one looks.
    reg  [33:0] came [0:63];
    reg  [6:0]  taken, given;
    wire [33:0] oldest = came[taken[5:0]];
    wire        some = taken != given;
    wire        take = in_fifo && !write && word == 3 && some;
    assign receive_tready = given - taken != 7'd64;
    always @(posedge clk) begin
        if (receive_tvalid && receive_tready) came[given[5:0]] <= {receive_tuser, receive_tlast, receive_tdata};
        taken <= resetn ? taken + {6'd0, take} : 7'd0;
        given <= resetn ? given + {6'd0, receive_tvalid && receive_tready} : 7'd0;
    end
    // Words 0 and 1 are written, 2 and 3 read.
    wire fifo_wrong = in_fifo && write == word[1];
    wire fifo_ready = write ? word == 0 || send_tready : some;

    assign console_valid = in_console && !at[2];
    assign console_data  = write_data[7:0];
    always @(posedge clk) begin
        if (!resetn) ended <= 0;
        else if (in_console && at[2]) begin
            ended <= 1;
            status <= write_data;
        end
    end

    wire        router_ready;
    wire [31:0] router_data, awaddr_all, araddr_all;
    assign awaddr = awaddr_all[8:0];
    assign araddr = araddr_all[8:0];
    picorv32_axi_adapter adapter (
        .clk(clk), .resetn(resetn),
        .mem_axi_awvalid(awvalid), .mem_axi_awready(awready), .mem_axi_awaddr(awaddr_all), .mem_axi_awprot(awprot),
        .mem_axi_wvalid(wvalid), .mem_axi_wready(wready), .mem_axi_wdata(wdata), .mem_axi_wstrb(wstrb),
        .mem_axi_bvalid(bvalid), .mem_axi_bready(bready),
        .mem_axi_arvalid(arvalid), .mem_axi_arready(arready), .mem_axi_araddr(araddr_all), .mem_axi_arprot(arprot),
        .mem_axi_rvalid(rvalid), .mem_axi_rready(rready), .mem_axi_rdata(rdata),
        .mem_valid(in_router), .mem_instr(instr), .mem_ready(router_ready), .mem_addr(at),
        .mem_wdata(write_data), .mem_wstrb(strobe), .mem_rdata(router_data)
    );

    wire nowhere = valid && !(in_memory || in_fifo || in_console || in_address || in_router);
    assign wrong = trap || nowhere || fifo_wrong || bvalid && bresp != 0 || rvalid && rresp != 0;
    assign ready = in_memory ? memory_ready : in_fifo ? fifo_ready : in_router ? router_ready : valid;
    assign read_data = in_memory ? memory_data
                     : in_fifo   ? (word[0] ? {30'd0, oldest[33:32]} : oldest[31:0])
                     : in_router ? router_data : {30'd0, address};
endmodule
