// Four processors on a 2-cube of cubecast routers, a program each. Ports of node v are item v.
module system #(
    parameter PROGRAM = "program.hex"
) (
    input  wire         clk,
    input  wire         resetn,
    output wire [3:0]   console_valid,
    output wire [31:0]  console_data,
    output wire [3:0]   ended,
    output wire [127:0] status,
    output wire [3:0]   wrong
);
    wire [127:0] send_tdata, receive_tdata, wdata, rdata;
    wire [3:0]   send_tvalid, send_tready, send_tlast, send_tuser;
    wire [3:0]   receive_tvalid, receive_tready, receive_tlast, receive_tuser;
    wire [35:0]  awaddr, araddr;
    wire [11:0]  awprot, arprot;
    wire [15:0]  wstrb;
    wire [7:0]   bresp, rresp;
    wire [3:0]   awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    // Programs read what is reported in the routers' logs.
    wire [3:0]   unused_valid, unused_faults;
    wire [7:0]   unused_destination;
    wire [15:0]  unused_reason, unused_port, unused_lane;

    cubecast_axi_network network (
        .aclk(clk), .aresetn(resetn),
        .s_axis_tdata(send_tdata), .s_axis_tvalid(send_tvalid), .s_axis_tready(send_tready),
        .s_axis_tlast(send_tlast), .s_axis_tuser(send_tuser),
        .m_axis_tdata(receive_tdata), .m_axis_tvalid(receive_tvalid), .m_axis_tready(receive_tready),
        .m_axis_tlast(receive_tlast), .m_axis_tuser(receive_tuser),
        .s_axi_awaddr(awaddr), .s_axi_awprot(awprot), .s_axi_awvalid(awvalid), .s_axi_awready(awready),
        .s_axi_wdata(wdata), .s_axi_wstrb(wstrb), .s_axi_wvalid(wvalid), .s_axi_wready(wready),
        .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready),
        .s_axi_araddr(araddr), .s_axi_arprot(arprot), .s_axi_arvalid(arvalid), .s_axi_arready(arready),
        .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rvalid(rvalid), .s_axi_rready(rready),
        .report_valid(unused_valid), .report_destination(unused_destination), .report_reason(unused_reason),
        .report_port(unused_port), .report_lane(unused_lane), .multiple_faults(unused_faults)
    );

    genvar v;
    generate
        for (v = 0; v < 4; v = v + 1) begin : nodes
            node #(.PROGRAM(PROGRAM)) node (
                .clk(clk), .resetn(resetn), .address(v[1:0]),
                .send_tdata(send_tdata[32*v +: 32]), .send_tvalid(send_tvalid[v]), .send_tlast(send_tlast[v]),
                .send_tuser(send_tuser[v]), .send_tready(send_tready[v]),
                .receive_tdata(receive_tdata[32*v +: 32]), .receive_tvalid(receive_tvalid[v]),
                .receive_tlast(receive_tlast[v]), .receive_tuser(receive_tuser[v]),
                .receive_tready(receive_tready[v]),
                .awvalid(awvalid[v]), .awaddr(awaddr[9*v +: 9]), .awprot(awprot[3*v +: 3]), .awready(awready[v]),
                .wvalid(wvalid[v]), .wdata(wdata[32*v +: 32]), .wstrb(wstrb[4*v +: 4]), .wready(wready[v]),
                .bvalid(bvalid[v]), .bresp(bresp[2*v +: 2]), .bready(bready[v]),
                .arvalid(arvalid[v]), .araddr(araddr[9*v +: 9]), .arprot(arprot[3*v +: 3]), .arready(arready[v]),
                .rvalid(rvalid[v]), .rdata(rdata[32*v +: 32]), .rresp(rresp[2*v +: 2]), .rready(rready[v]),
                .console_valid(console_valid[v]), .console_data(console_data[8*v +: 8]),
                .ended(ended[v]), .status(status[32*v +: 32]), .wrong(wrong[v])
            );
        end
    endgenerate
endmodule
