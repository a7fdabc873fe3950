import { Type } from 'typebox'
import { patterns } from '../patterns.ts'

export const closed = { additionalProperties: false } as const

export const AccountId = Type.String({ format: 'uuid' })
export const Instant = Type.String({ format: 'date-time' })
export const Count = Type.Integer({ minimum: 0 })
/** Exact US dollars, with 2 to 9 decimals. */
export const Usd = Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })
/** Exact US dollars that may be below zero. */
export const SignedUsd = Type.String({ pattern: '^-?(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })
/** A calendar month in UTC, such as `2026-11`. */
export const Month = Type.String({ pattern: patterns.month })
/** Characters that show nothing, as in a regular expression. */
const invisible = '\\s\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff'
/** Characters that a log must not have: control characters, and those that change the direction of text. */
const control = '\\u0000-\\u001f\\u007f\\u202a-\\u202e\\u2066-\\u2069'
/** Why the operator acts. The audit logs keep it. */
export const Reason = Type.String({ minLength: 1, maxLength: 500, pattern: `^(?=.*[^${invisible}])[^${control}]*$` })
/** `next_cursor` of the previous page. */
export const Cursor = Type.String({ minLength: 1, maxLength: 500 })
export const NextCursor = Type.Union([Type.String(), Type.Null()])
export const PageLimit = Type.String({ pattern: patterns.upTo100 })
