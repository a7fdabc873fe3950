import { Type } from 'typebox'

/** Percent of a budget, in any order. Empty: nobody is told. */
export const Thresholds = Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), { maxItems: 10, uniqueItems: true })
