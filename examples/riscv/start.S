# The processor begins at 0 with its stack pointer set; what main returns ends the program.
    .section .text.start
    .globl start
start:
    call main
    li t0, 0x20000000
    sw a0, 4(t0)
1:  j 1b
