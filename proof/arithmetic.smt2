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
