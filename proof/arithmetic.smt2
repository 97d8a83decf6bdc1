; SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
; Two facts about integers, which CBMC takes as contracts: SAT solvers are slow with products. A fact holds if
; its opposite is unsat.

(declare-const a Int)
(declare-const b Int)
(declare-const q Int)
(declare-const r Int)

; contract_product: a * b >> 23 is 256 * a at most if b is 2^31 at most
(push)
(assert (and (>= a 0) (>= b 0) (<= b 2147483648)))
(assert (and (= (* a b) (+ (* q 8388608) r)) (>= r 0) (< r 8388608)))
(assert (> q (* 256 a)))
(check-sat)
(pop)

; contract_quotient: a / b is less than 255 if and only if a is less than 255 * b
(push)
(assert (and (>= a 0) (> b 0)))
(assert (and (= a (+ (* q b) r)) (>= r 0) (< r b)))
(assert (not (= (< q 255) (< a (* 255 b)))))
(check-sat)
(pop)

; contract_pace_time: a * b has 64 bits if a has 39 and b is 2^25 at most
(push)
(assert (and (>= a 0) (< a 549755813888) (>= b 0) (<= b 33554432)))
(assert (>= (* a b) 18446744073709551616))
(check-sat)
(pop)

; contract_pace_time: a * b / p is 256 * 10^9 * 2^25 at most if a is 256 * 10^9 * p at most, for any power p of two
(declare-const p Int)
(push)
(assert (and (>= a 0) (>= p 1) (<= a (* 256000000000 p)) (>= b 0) (<= b 33554432)))
(assert (and (= (* a b) (+ (* q p) r)) (>= r 0) (< r p)))
(assert (> q 8589934592000000000))
(check-sat)
(pop)

; contract_divide: a / b is a at most if b is 1 or more
(push)
(assert (and (>= a 0) (>= b 1)))
(assert (and (= a (+ (* q b) r)) (>= r 0) (< r b)))
(assert (> q a))
(check-sat)
(pop)

; contract_scaled: a * m / b is n at most if a is n / m at most
(declare-const m Int)
(declare-const n Int)
(push)
(assert (and (>= a 0) (>= m 1) (>= b 1) (>= n 0)))
(assert (<= (* a m) n))
(assert (and (= (* a m) (+ (* q b) r)) (>= r 0) (< r b)))
(assert (> q n))
(check-sat)
(pop)
