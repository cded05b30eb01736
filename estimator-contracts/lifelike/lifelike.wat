;; Shaped like what chains run: 48 imports, 40 types, 400 functions beside the entry, of which 352 are in a table and 48 exported,
;; three globals, and data behind the stack. Most contracts on NEAR, CosmWasm and Soroban have no more of any of these but functions.
;; The functions do nothing: what an instance costs follows from how many can be reached, not from what they would do.
;; What stands in braces is replaced by the levels of each variant.
(module
  (type $t0 (func)) (type $t1 (func (param i32))) (type $t2 (func (param i64))) (type $t3 (func (param i32 i32)))
  (type $t4 (func (param i32 i64))) (type $t5 (func (param i64 i32))) (type $t6 (func (param i64 i64)))
  (type $t7 (func (param i32 i32 i32))) (type $t8 (func (param i32 i32 i64))) (type $t9 (func (param i32 i64 i32)))
  (type $t10 (func (param i32 i64 i64))) (type $t11 (func (param i64 i32 i32))) (type $t12 (func (param i64 i32 i64)))
  (type $t13 (func (param i64 i64 i32))) (type $t14 (func (param i64 i64 i64)))
  (type $t15 (func (param i32 i32 i32 i32))) (type $t16 (func (param i32 i32 i32 i64)))
  (type $t17 (func (param i32 i32 i64 i32))) (type $t18 (func (param i32 i32 i64 i64)))
  (type $t19 (func (param i32 i64 i32 i32))) (type $t20 (func (param i32 i64 i32 i64)))
  (type $t21 (func (param i32 i64 i64 i32))) (type $t22 (func (param i32 i64 i64 i64)))
  (type $t23 (func (param i64 i32 i32 i32))) (type $t24 (func (param i64 i32 i32 i64)))
  (type $t25 (func (param i64 i32 i64 i32))) (type $t26 (func (param i64 i32 i64 i64)))
  (type $t27 (func (param i64 i64 i32 i32))) (type $t28 (func (param i64 i64 i32 i64)))
  (type $t29 (func (param i64 i64 i64 i32))) (type $t30 (func (param i64 i64 i64 i64)))

  ;; The host functions of NEAR with their types. None is given a host: they trap, and the entry calls none.
  (import "env" "read_register" (func (param i64 i64)))
  (import "env" "register_len" (func (param i64) (result i64)))
  (import "env" "write_register" (func (param i64 i64 i64)))
  (import "env" "current_account_id" (func (param i64)))
  (import "env" "signer_account_id" (func (param i64)))
  (import "env" "signer_account_pk" (func (param i64)))
  (import "env" "predecessor_account_id" (func (param i64)))
  (import "env" "input" (func (param i64)))
  (import "env" "block_index" (func (result i64)))
  (import "env" "block_timestamp" (func (result i64)))
  (import "env" "epoch_height" (func (result i64)))
  (import "env" "storage_usage" (func (result i64)))
  (import "env" "account_balance" (func (param i64)))
  (import "env" "account_locked_balance" (func (param i64)))
  (import "env" "attached_deposit" (func (param i64)))
  (import "env" "prepaid_gas" (func (result i64)))
  (import "env" "used_gas" (func (result i64)))
  (import "env" "random_seed" (func (param i64)))
  (import "env" "sha256" (func (param i64 i64 i64)))
  (import "env" "keccak256" (func (param i64 i64 i64)))
  (import "env" "keccak512" (func (param i64 i64 i64)))
  (import "env" "ripemd160" (func (param i64 i64 i64)))
  (import "env" "ecrecover" (func (param i64 i64 i64 i64 i64 i64 i64) (result i64)))
  (import "env" "value_return" (func (param i64 i64)))
  (import "env" "panic" (func))
  (import "env" "panic_utf8" (func (param i64 i64)))
  (import "env" "log_utf8" (func (param i64 i64)))
  (import "env" "log_utf16" (func (param i64 i64)))
  (import "env" "abort" (func (param i32 i32 i32 i32)))
  (import "env" "promise_create" (func (param i64 i64 i64 i64 i64 i64 i64 i64) (result i64)))
  (import "env" "promise_then" (func (param i64 i64 i64 i64 i64 i64 i64 i64 i64) (result i64)))
  (import "env" "promise_and" (func (param i64 i64) (result i64)))
  (import "env" "promise_batch_create" (func (param i64 i64) (result i64)))
  (import "env" "promise_batch_then" (func (param i64 i64 i64) (result i64)))
  (import "env" "promise_batch_action_create_account" (func (param i64)))
  (import "env" "promise_batch_action_deploy_contract" (func (param i64 i64 i64)))
  (import "env" "promise_batch_action_function_call" (func (param i64 i64 i64 i64 i64 i64 i64)))
  (import "env" "promise_batch_action_transfer" (func (param i64 i64)))
  (import "env" "promise_batch_action_stake" (func (param i64 i64 i64 i64)))
  (import "env" "promise_batch_action_add_key_with_full_access" (func (param i64 i64 i64 i64)))
  (import "env" "promise_batch_action_delete_key" (func (param i64 i64 i64)))
  (import "env" "promise_results_count" (func (result i64)))
  (import "env" "promise_result" (func (param i64 i64) (result i64)))
  (import "env" "promise_return" (func (param i64)))
  (import "env" "storage_write" (func (param i64 i64 i64 i64 i64) (result i64)))
  (import "env" "storage_read" (func (param i64 i64 i64) (result i64)))
  (import "env" "storage_remove" (func (param i64 i64 i64) (result i64)))
  (import "env" "storage_has_key" (func (param i64 i64) (result i64)))

  (memory (export "memory") {initial_pages})

  ;; Laid out as the linker does it with the stack first: the stack grows down from here, and the data begins above.
  (global $stack_pointer (mut i32) (i32.const {stack_bytes}))
  (global (export "__data_end") i32 (i32.const {data_end}))
  (global (export "__heap_base") i32 (i32.const {data_end}))
  (data (i32.const {stack_bytes}) "{data}")

  ;; 400 functions from index 48 on, behind the imports.
  (func (type $t0)) (func (type $t1)) (func (type $t2)) (func (type $t3)) (func (type $t4)) (func (type $t5))
  (func (type $t6)) (func (type $t7)) (func (type $t8)) (func (type $t9)) (func (type $t10)) (func (type $t11))
  (func (type $t12)) (func (type $t13)) (func (type $t14)) (func (type $t15)) (func (type $t16)) (func (type $t17))
  (func (type $t18)) (func (type $t19)) (func (type $t20)) (func (type $t21)) (func (type $t22)) (func (type $t23))
  (func (type $t24)) (func (type $t25)) (func (type $t26)) (func (type $t27)) (func (type $t28)) (func (type $t29))
  (func (type $t30)) (func (type $t0)) (func (type $t1)) (func (type $t2)) (func (type $t3)) (func (type $t4))
  (func (type $t5)) (func (type $t6)) (func (type $t7)) (func (type $t8)) (func (type $t9)) (func (type $t10))
  (func (type $t11)) (func (type $t12)) (func (type $t13)) (func (type $t14)) (func (type $t15)) (func (type $t16))
  (func (type $t17)) (func (type $t18)) (func (type $t19)) (func (type $t20)) (func (type $t21)) (func (type $t22))
  (func (type $t23)) (func (type $t24)) (func (type $t25)) (func (type $t26)) (func (type $t27)) (func (type $t28))
  (func (type $t29)) (func (type $t30)) (func (type $t0)) (func (type $t1)) (func (type $t2)) (func (type $t3))
  (func (type $t4)) (func (type $t5)) (func (type $t6)) (func (type $t7)) (func (type $t8)) (func (type $t9))
  (func (type $t10)) (func (type $t11)) (func (type $t12)) (func (type $t13)) (func (type $t14)) (func (type $t15))
  (func (type $t16)) (func (type $t17)) (func (type $t18)) (func (type $t19)) (func (type $t20)) (func (type $t21))
  (func (type $t22)) (func (type $t23)) (func (type $t24)) (func (type $t25)) (func (type $t26)) (func (type $t27))
  (func (type $t28)) (func (type $t29)) (func (type $t30)) (func (type $t0)) (func (type $t1)) (func (type $t2))
  (func (type $t3)) (func (type $t4)) (func (type $t5)) (func (type $t6)) (func (type $t7)) (func (type $t8))
  (func (type $t9)) (func (type $t10)) (func (type $t11)) (func (type $t12)) (func (type $t13)) (func (type $t14))
  (func (type $t15)) (func (type $t16)) (func (type $t17)) (func (type $t18)) (func (type $t19)) (func (type $t20))
  (func (type $t21)) (func (type $t22)) (func (type $t23)) (func (type $t24)) (func (type $t25)) (func (type $t26))
  (func (type $t27)) (func (type $t28)) (func (type $t29)) (func (type $t30)) (func (type $t0)) (func (type $t1))
  (func (type $t2)) (func (type $t3)) (func (type $t4)) (func (type $t5)) (func (type $t6)) (func (type $t7))
  (func (type $t8)) (func (type $t9)) (func (type $t10)) (func (type $t11)) (func (type $t12)) (func (type $t13))
  (func (type $t14)) (func (type $t15)) (func (type $t16)) (func (type $t17)) (func (type $t18)) (func (type $t19))
  (func (type $t20)) (func (type $t21)) (func (type $t22)) (func (type $t23)) (func (type $t24)) (func (type $t25))
  (func (type $t26)) (func (type $t27)) (func (type $t28)) (func (type $t29)) (func (type $t30)) (func (type $t0))
  (func (type $t1)) (func (type $t2)) (func (type $t3)) (func (type $t4)) (func (type $t5)) (func (type $t6))
  (func (type $t7)) (func (type $t8)) (func (type $t9)) (func (type $t10)) (func (type $t11)) (func (type $t12))
  (func (type $t13)) (func (type $t14)) (func (type $t15)) (func (type $t16)) (func (type $t17)) (func (type $t18))
  (func (type $t19)) (func (type $t20)) (func (type $t21)) (func (type $t22)) (func (type $t23)) (func (type $t24))
  (func (type $t25)) (func (type $t26)) (func (type $t27)) (func (type $t28)) (func (type $t29)) (func (type $t30))
  (func (type $t0)) (func (type $t1)) (func (type $t2)) (func (type $t3)) (func (type $t4)) (func (type $t5))
  (func (type $t6)) (func (type $t7)) (func (type $t8)) (func (type $t9)) (func (type $t10)) (func (type $t11))
  (func (type $t12)) (func (type $t13)) (func (type $t14)) (func (type $t15)) (func (type $t16)) (func (type $t17))
  (func (type $t18)) (func (type $t19)) (func (type $t20)) (func (type $t21)) (func (type $t22)) (func (type $t23))
  (func (type $t24)) (func (type $t25)) (func (type $t26)) (func (type $t27)) (func (type $t28)) (func (type $t29))
  (func (type $t30)) (func (type $t0)) (func (type $t1)) (func (type $t2)) (func (type $t3)) (func (type $t4))
  (func (type $t5)) (func (type $t6)) (func (type $t7)) (func (type $t8)) (func (type $t9)) (func (type $t10))
  (func (type $t11)) (func (type $t12)) (func (type $t13)) (func (type $t14)) (func (type $t15)) (func (type $t16))
  (func (type $t17)) (func (type $t18)) (func (type $t19)) (func (type $t20)) (func (type $t21)) (func (type $t22))
  (func (type $t23)) (func (type $t24)) (func (type $t25)) (func (type $t26)) (func (type $t27)) (func (type $t28))
  (func (type $t29)) (func (type $t30)) (func (type $t0)) (func (type $t1)) (func (type $t2)) (func (type $t3))
  (func (type $t4)) (func (type $t5)) (func (type $t6)) (func (type $t7)) (func (type $t8)) (func (type $t9))
  (func (type $t10)) (func (type $t11)) (func (type $t12)) (func (type $t13)) (func (type $t14)) (func (type $t15))
  (func (type $t16)) (func (type $t17)) (func (type $t18)) (func (type $t19)) (func (type $t20)) (func (type $t21))
  (func (type $t22)) (func (type $t23)) (func (type $t24)) (func (type $t25)) (func (type $t26)) (func (type $t27))
  (func (type $t28)) (func (type $t29)) (func (type $t30)) (func (type $t0)) (func (type $t1)) (func (type $t2))
  (func (type $t3)) (func (type $t4)) (func (type $t5)) (func (type $t6)) (func (type $t7)) (func (type $t8))
  (func (type $t9)) (func (type $t10)) (func (type $t11)) (func (type $t12)) (func (type $t13)) (func (type $t14))
  (func (type $t15)) (func (type $t16)) (func (type $t17)) (func (type $t18)) (func (type $t19)) (func (type $t20))
  (func (type $t21)) (func (type $t22)) (func (type $t23)) (func (type $t24)) (func (type $t25)) (func (type $t26))
  (func (type $t27)) (func (type $t28)) (func (type $t29)) (func (type $t30)) (func (type $t0)) (func (type $t1))
  (func (type $t2)) (func (type $t3)) (func (type $t4)) (func (type $t5)) (func (type $t6)) (func (type $t7))
  (func (type $t8)) (func (type $t9)) (func (type $t10)) (func (type $t11)) (func (type $t12)) (func (type $t13))
  (func (type $t14)) (func (type $t15)) (func (type $t16)) (func (type $t17)) (func (type $t18)) (func (type $t19))
  (func (type $t20)) (func (type $t21)) (func (type $t22)) (func (type $t23)) (func (type $t24)) (func (type $t25))
  (func (type $t26)) (func (type $t27)) (func (type $t28)) (func (type $t29)) (func (type $t30)) (func (type $t0))
  (func (type $t1)) (func (type $t2)) (func (type $t3)) (func (type $t4)) (func (type $t5)) (func (type $t6))
  (func (type $t7)) (func (type $t8)) (func (type $t9)) (func (type $t10)) (func (type $t11)) (func (type $t12))
  (func (type $t13)) (func (type $t14)) (func (type $t15)) (func (type $t16)) (func (type $t17)) (func (type $t18))
  (func (type $t19)) (func (type $t20)) (func (type $t21)) (func (type $t22)) (func (type $t23)) (func (type $t24))
  (func (type $t25)) (func (type $t26)) (func (type $t27)) (func (type $t28)) (func (type $t29)) (func (type $t30))
  (func (type $t0)) (func (type $t1)) (func (type $t2)) (func (type $t3)) (func (type $t4)) (func (type $t5))
  (func (type $t6)) (func (type $t7)) (func (type $t8)) (func (type $t9)) (func (type $t10)) (func (type $t11))
  (func (type $t12)) (func (type $t13)) (func (type $t14)) (func (type $t15)) (func (type $t16)) (func (type $t17))
  (func (type $t18)) (func (type $t19)) (func (type $t20)) (func (type $t21)) (func (type $t22)) (func (type $t23))
  (func (type $t24)) (func (type $t25)) (func (type $t26)) (func (type $t27))

  ;; Those in the table can be called indirectly; place 0 stays null, as linkers leave it.
  (table 353 353 funcref)
  (elem (i32.const 1) func
    48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85
    86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117
    118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145
    146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173
    174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201
    202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229
    230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257
    258 259 260 261 262 263 264 265 266 267 268 269 270 271 272 273 274 275 276 277 278 279 280 281 282 283 284 285
    286 287 288 289 290 291 292 293 294 295 296 297 298 299 300 301 302 303 304 305 306 307 308 309 310 311 312 313
    314 315 316 317 318 319 320 321 322 323 324 325 326 327 328 329 330 331 332 333 334 335 336 337 338 339 340 341
    342 343 344 345 346 347 348 349 350 351 352 353 354 355 356 357 358 359 360 361 362 363 364 365 366 367 368 369
    370 371 372 373 374 375 376 377 378 379 380 381 382 383 384 385 386 387 388 389 390 391 392 393 394 395 396 397
    398 399)

  (export "method_0" (func 48)) (export "method_1" (func 49)) (export "method_2" (func 50))
  (export "method_3" (func 51)) (export "method_4" (func 52)) (export "method_5" (func 53))
  (export "method_6" (func 54)) (export "method_7" (func 55)) (export "method_8" (func 56))
  (export "method_9" (func 57)) (export "method_10" (func 58)) (export "method_11" (func 59))
  (export "method_12" (func 60)) (export "method_13" (func 61)) (export "method_14" (func 62))
  (export "method_15" (func 63)) (export "method_16" (func 64)) (export "method_17" (func 65))
  (export "method_18" (func 66)) (export "method_19" (func 67)) (export "method_20" (func 68))
  (export "method_21" (func 69)) (export "method_22" (func 70)) (export "method_23" (func 71))
  (export "method_24" (func 72)) (export "method_25" (func 73)) (export "method_26" (func 74))
  (export "method_27" (func 75)) (export "method_28" (func 76)) (export "method_29" (func 77))
  (export "method_30" (func 78)) (export "method_31" (func 79)) (export "method_32" (func 80))
  (export "method_33" (func 81)) (export "method_34" (func 82)) (export "method_35" (func 83))
  (export "method_36" (func 84)) (export "method_37" (func 85)) (export "method_38" (func 86))
  (export "method_39" (func 87)) (export "method_40" (func 88)) (export "method_41" (func 89))
  (export "method_42" (func 90)) (export "method_43" (func 91)) (export "method_44" (func 92))
  (export "method_45" (func 93)) (export "method_46" (func 94)) (export "method_47" (func 95))

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
