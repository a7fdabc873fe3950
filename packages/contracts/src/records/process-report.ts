import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { apiNames } from '../catalog/apis.ts'

/** Milliseconds since the epoch. */
const Instant = Type.Integer({ minimum: 0 })
const Counted = Type.Object({ count: Type.Integer({ minimum: 0 }), lastAt: Instant })

export const breakerStates = ['closed', 'open', 'half-open'] as const
export const webhookSources = ['payments', 'identity'] as const
export const webhookOutcomes = ['handled', 'ignored', 'bad_signature', 'failed'] as const

/** What a running process says of itself every few seconds. It contains no secret, no address and no account. */
export const ProcessReport = Type.Object({
  kind: Type.Enum(['gateway', 'control']),
  /** New for each start. */
  id: Type.String({ minLength: 1 }),
  host: Type.String(),
  version: Type.String(),
  /** By the clock of its host. */
  startedAt: Instant,
  /** Only of gateways. */
  upstreams: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        breaker: Type.Enum([...breakerStates]),
        /** Its APIs. */
        speaks: Type.Array(Type.Enum(apiNames))
      })
    )
  ),
  /** Only of gateways: the names of optional upstreams that are not set up. */
  leftOutUpstreams: Type.Optional(Type.Array(Type.String())),
  /** Only of gateways: it charges list prices and price groups. Absent in older releases, which charge what providers bill. */
  chargesListPrices: Type.Optional(Type.Literal(true)),
  /** Only of gateways: it checks the addresses from which a key works. Absent in older releases. */
  checksAddresses: Type.Optional(Type.Literal(true)),
  /**
   * Only of gateways: it enforces budgets with a window, and a key's own tokens a minute and concurrent requests. Absent
   * in older releases.
   */
  countsBudgets: Type.Optional(Type.Literal(true)),
  /** Only of gateways: it writes no receipts for the request log. Absent if it does, and in older releases. */
  isWithoutRequestLog: Type.Optional(Type.Literal(true)),
  /** Only of gateways: the catalog in use; null before there is one. */
  catalogVersion: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  /** Failed answers by code, since the start. */
  errors: Type.Record(Type.String(), Counted),
  /**
   * What only the operator can repair: a gateway's upstreams, or control's settings of providers. Absent in older
   * releases.
   */
  problems: Type.Optional(
    Type.Array(
      Type.Object({
        /** The setting or the upstream's model to correct. */
        what: Type.String(),
        /** Only of gateways. */
        upstream: Type.Optional(Type.String()),
        problem: Type.String()
      })
    )
  ),
  /** Only of control: answered webhooks since the start. */
  webhooks: Type.Optional(
    Type.Array(
      Type.Object({
        source: Type.Enum([...webhookSources]),
        outcome: Type.Enum([...webhookOutcomes]),
        ...Counted.properties
      })
    )
  ),
  /** Only of control: milliseconds since it last copied all usage from Redis; null before the first time. */
  usageCopiedMsAgo: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]))
})
export type ProcessReport = Static<typeof ProcessReport>

const report = Compile(ProcessReport)

/** @returns null for JSON of another form: another release may write it */
export function readProcessReport(json: string): ProcessReport | null {
  try {
    const value: unknown = JSON.parse(json)
    return report.Check(value) ? value : null
  } catch {
    return null
  }
}
