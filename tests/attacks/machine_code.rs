//! Programs for x86-64 in machine code: safe Rust cannot make any system call by its number, or one of 32-bit
//! code.

/// Where a program is loaded.
const BASE: u64 = 0x40_0000;

/// Bytes of the headers of a file with one segment.
const HEADERS: u64 = 64 + 56;

/// The address of a program's data.
pub const DATA: u64 = BASE + HEADERS;

/// An ELF file with this data and, after it, this code.
pub fn program(data: &[u8], code: &[u8]) -> Vec<u8> {
    // Readable, writable and executable.
    const FLAGS: u32 = 7;
    let entry = DATA + data.len() as u64;
    let size = HEADERS + (data.len() + code.len()) as u64;
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend([2u16, 62].map(u16::to_le_bytes).concat());
    file.extend(1u32.to_le_bytes());
    file.extend([entry, 64, 0].map(u64::to_le_bytes).concat());
    file.extend(0u32.to_le_bytes());
    file.extend([64u16, 56, 1, 64, 0, 0].map(u16::to_le_bytes).concat());
    file.extend([1, FLAGS].map(u32::to_le_bytes).concat());
    file.extend([0, BASE, BASE, size, size, 0x1000].map(u64::to_le_bytes).concat());
    file.extend(data);
    file.extend(code);
    file
}

/// A program that makes a system call and exits with its error, or with 0.
pub fn call(number: u64, arguments: [u64; 6], data: &[u8]) -> Vec<u8> {
    // mov rdi | rsi | rdx | r10 | r8 | r9 | rax, IMMEDIATE
    const REGISTERS: [[u8; 2]; 7] = [
        [0x48, 0xbf],
        [0x48, 0xbe],
        [0x48, 0xba],
        [0x49, 0xba],
        [0x49, 0xb8],
        [0x49, 0xb9],
        [0x48, 0xb8],
    ];
    let mut code = Vec::new();
    for (register, value) in REGISTERS.iter().zip(arguments.into_iter().chain([number])) {
        code.extend(register);
        code.extend(value.to_le_bytes());
    }
    // syscall; mov rdi, rax; sar rax, 63; and rdi, rax; neg rdi; mov eax, 60 (exit); syscall
    code.extend([
        0x0f, 0x05, 0x48, 0x89, 0xc7, 0x48, 0xc1, 0xf8, 0x3f, 0x48, 0x21, 0xc7,
    ]);
    code.extend([0x48, 0xf7, 0xdf, 0xb8, 60, 0, 0, 0, 0x0f, 0x05]);
    program(data, &code)
}

/// A program of which the first thread exits, while the second one waits without end.
pub fn headless() -> Vec<u8> {
    /// Bytes of the second thread's stack.
    const STACK: u64 = 4096;
    // mov eax, 56 (clone); mov edi, FLAGS of a thread; mov rsi, END OF STACK
    let mut code = vec![0xb8, 56, 0, 0, 0, 0xbf, 0, 0x0f, 0x05, 0, 0x48, 0xbe];
    code.extend((DATA + STACK).to_le_bytes());
    // xor edx, edx; xor r10d, r10d; xor r8d, r8d; syscall; test eax, eax; je +9
    code.extend([
        0x31, 0xd2, 0x45, 0x31, 0xd2, 0x45, 0x31, 0xc0, 0x0f, 0x05, 0x85, 0xc0, 0x74, 9,
    ]);
    // mov eax, 60 (exit); xor edi, edi; syscall
    code.extend([0xb8, 60, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05]);
    // mov eax, 34 (pause); syscall; jmp -9
    code.extend([0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7]);
    program(&[0; STACK as usize], &code)
}
