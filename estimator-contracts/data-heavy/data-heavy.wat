;; Carries a data segment behind a stack that it does not use, and touches memory as touch-memory-wat does.
;; The code is that of touch-memory-wat; a contract is one file, so it is here again.
;; What stands in braces is replaced by the levels of each variant.
(module
  (memory (export "memory") {initial_pages})

  ;; Laid out as the linker does it with the stack first: the stack grows down from here, and the data begins above.
  (global $stack_pointer (mut i32) (i32.const {stack_bytes}))
  (global (export "__data_end") i32 (i32.const {data_end}))
  (global (export "__heap_base") i32 (i32.const {data_end}))
  (data (i32.const {stack_bytes}) "{data}")

  ;; Touches the bytes from $start, a multiple of the host page, up to $start + $length, growing the memory if it must.
  (func (export "touch") (param $start i32) (param $length i32)
    (local $end i32) (local $missing i32)
    (local.set $end (i32.add (local.get $start) (local.get $length)))

    ;; missing = ceil(end / 64 KiB) - memory.size, and a memory that cannot grow traps.
    (local.set $missing
      (i32.sub
        (i32.add
          (i32.shr_u (local.get $end) (i32.const 16))
          (i32.ne (i32.and (local.get $end) (i32.const 0xffff)) (i32.const 0)))
        (memory.size)))
    (if (i32.gt_s (local.get $missing) (i32.const 0))
      (then
        (if (i32.eq (memory.grow (local.get $missing)) (i32.const -1))
          (then (unreachable)))))

    ;; Offset 8 in each host page of 4 KiB, where the Rust twin writes, for which address 0 is null.
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $start) (local.get $end)))
        (i32.store8 offset=8 (local.get $start) (i32.const 1))
        (local.set $start (i32.add (local.get $start) (i32.const 4096)))
        (br $next)))))
