import { type Static, type TString, Type } from 'typebox'
import { meters, pricedUnits, units } from '../meters/meters.ts'
import { receiptKinds } from '../requests/receipt.ts'
import { refusedMembers } from '../requests/refusal-reasons.ts'
import { patterns } from './patterns.ts'
import { countMembers, UsageKey } from './usage.ts'

const closed = { additionalProperties: false } as const
const Instant = Type.String({ format: 'date-time' })
const Count = Type.Integer({ minimum: 0 })
/** Exact US dollars, with 2 to 9 decimals. */
const Usd = Type.String({ pattern: '^(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])
const noNul = '^[^\\u0000]*$'

/** Which requests are wanted. All conditions must hold. */
const filter = {
  /** Id of a key. */
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  /** Id of a user: requests with the keys that they created. */
  member: Type.Optional(Type.String({ format: 'uuid' })),
  /** The requested model. */
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  /** Such as `429`, or `5xx` for all from 500 to 599. */
  status: Type.Optional(Type.String({ pattern: patterns.status })),
  /** The code of an error. */
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  /** Admitted at this time or later. */
  from: Type.Optional(Instant),
  /** Admitted before this time. */
  to: Type.Optional(Instant),
  min_cost_usd: Type.Optional(Type.String({ pattern: patterns.usd })),
  max_cost_usd: Type.Optional(Type.String({ pattern: patterns.usd })),
  min_duration_ms: Type.Optional(Type.String({ pattern: patterns.upTo9Digits })),
  max_duration_ms: Type.Optional(Type.String({ pattern: patterns.upTo9Digits }))
}
const page = {
  /** 1 to 100; default 50. */
  limit: Type.Optional(Type.String({ pattern: patterns.upTo100 })),
  /** `next_cursor` of the previous page. */
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
}
const format = {
  /** Default: `ndjson`, one JSON object in each line. */
  format: Type.Optional(Type.Enum(['ndjson', 'csv']))
}
/** Further parameters: `metadata.<name>=<value>` for each pair that the request's key must have. */
const withMetadata = {
  patternProperties: { [patterns.metadataFilter]: Type.String({ maxLength: 500, pattern: noNul }) },
  ...closed
}
const account = { account: Type.String({ format: 'uuid' }) }

export const RequestsQuery = Type.Object({ ...filter, ...page }, withMetadata)
export type RequestsQuery = Static<typeof RequestsQuery>
export const ExportRequestsQuery = Type.Object({ ...filter, ...format }, withMetadata)
export type ExportRequestsQuery = Static<typeof ExportRequestsQuery>
/** `account` names the account whose requests are wanted. */
export const AdminRequestsQuery = Type.Object({ ...account, ...filter, ...page }, withMetadata)
export type AdminRequestsQuery = Static<typeof AdminRequestsQuery>
export const AdminExportRequestsQuery = Type.Object({ ...account, ...filter, ...format }, withMetadata)
export type AdminExportRequestsQuery = Static<typeof AdminExportRequestsQuery>

export const RequestParams = Type.Object({ id: Type.String() })

/** A request of the log. It has no words of prompts or answers. */
export const LoggedRequest = Type.Object(
  {
    /** The client got it as `x-request-id`. */
    id: Type.String(),
    /** When it was admitted or refused. */
    at: Instant,
    /**
     * `settled`: its cost was charged. `reaped`: its gateway stopped, so its whole reservation was charged. `refused`:
     * it was not admitted.
     */
    kind: Type.Enum([...receiptKinds]),
    /** For how many equal refusals of the key it stands, itself included; 1 for other requests. */
    count: Type.Integer({ minimum: 1 }),
    key_id: Type.String(),
    /** The path, such as `/v1/chat/completions`. */
    endpoint: Type.String(),
    /** The requested model; null if the request was refused before it was read. */
    model: orNull(Type.String()),
    /** The name that the client sent, if it is an alias of the model. */
    asked_model: orNull(Type.String()),
    /** The model that the answer names, if that is another one. */
    answered_model: orNull(Type.String()),
    stream: Type.Boolean(),
    /** The status that the client got; 499 if it left before the answer began; null if the gateway stopped. */
    status: orNull(Type.Integer()),
    /** The code of the error that the client got. */
    code: orNull(Type.String()),
    /** Only of a request that was refused for an amount. Of several refusals, the smallest. */
    ...refusedMembers,
    /** How many calls to providers it took. */
    attempts: Count,
    /** Whether the client left before the end of the answer. */
    client_gone: Type.Boolean(),
    /** What was reserved at its admission. */
    reserved_usd: Usd,
    reserved_tokens: Count,
    /** The limit of output tokens that it got; null if unknown. */
    granted_output_tokens: orNull(Count),
    ...countMembers(meters),
    cost_usd: Usd,
    /** Whether tokens and cost are estimates, because the provider reported no usage. */
    estimated: Type.Boolean(),
    /** The provider's service tier that was charged; null for the usual one. */
    service_tier: orNull(Type.String()),
    /** From the arrival of the request to the first byte of the answer. */
    first_byte_ms: orNull(Count),
    /** From the arrival of the request to its end. */
    duration_ms: orNull(Count),
    /** The client's address, if the operator keeps addresses. */
    address: orNull(Type.String())
  },
  closed
)
export type LoggedRequest = Static<typeof LoggedRequest>

/** US dollars of each kind, by unit. Units other than tokens may be missing. */
const unitPrices = Object.fromEntries(
  pricedUnits.map(([unit]) => {
    const prices = Type.Record(Type.String(), Usd)
    return [units[unit].prices, unit === 'token' ? prices : Type.Optional(prices)]
  })
) as { usd_per_million_tokens: ReturnType<typeof Type.Record<TString, typeof Usd>> }

export const ChargedPrices = Type.Object({
  ...unitPrices,
  request_usd: Usd,
  /** By the tool's type. */
  tool_call_usd: Type.Record(Type.String(), Usd),
  /** The price group, and its factor of the list prices, which these prices have. Null: they are the list prices. */
  price_group: orNull(Type.Object({ name: Type.String(), multiplier: Type.Number() }))
})
export type ChargedPrices = Static<typeof ChargedPrices>

/** Prices in force at admission; null if nothing was charged. */
const prices = { prices: orNull(ChargedPrices) }

/** A call to a provider that failed. Only operators see which provider it was. */
const failedCall = {
  /** The code of the error that tells why. The client got it only if no other call followed. */
  code: Type.String(),
  /** The status of the provider's response; null without a response. */
  status: orNull(Type.Integer()),
  /** From the arrival of the request to the call. */
  started_ms: Count,
  /** From the call to its failure. */
  duration_ms: Count
}
const FailedAttempt = Type.Object({ upstream: Type.String(), ...failedCall }, closed)
export type FailedAttempt = Static<typeof FailedAttempt>

/** The calls that failed, in their order. If `attempts` is more than these, the last call has not failed. */
const failedCalls = { failed_attempts: Type.Array(Type.Object(failedCall, closed)) }
const provider = {
  /** The upstream that was called last; null for none. */
  upstream: orNull(Type.String()),
  /** The calls that failed, in their order. If `attempts` is more than these, the last call has not failed. */
  failed_attempts: Type.Array(FailedAttempt)
}

/** A request with its failed calls and the prices that gave its cost. */
export const RequestDetail = Type.Object({ ...LoggedRequest.properties, ...failedCalls, ...prices }, closed)
export type RequestDetail = Static<typeof RequestDetail>

const SignedUsd = Type.String({ pattern: '^-?(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })
const earnings = {
  /** What the provider bills for it. */
  provider_cost_usd: Usd,
  /** `cost_usd`, which the account pays, minus that. Below zero if it was sold below its cost. */
  margin_usd: SignedUsd
}

/** What operators see besides. */
const forOperators = { account_id: Type.String({ format: 'uuid' }), ...earnings, ...provider }
export const AdminLoggedRequest = Type.Object({ ...LoggedRequest.properties, ...forOperators }, closed)
export type AdminLoggedRequest = Static<typeof AdminLoggedRequest>
export const AdminRequestDetail = Type.Object({ ...AdminLoggedRequest.properties, ...prices }, closed)
export type AdminRequestDetail = Static<typeof AdminRequestDetail>

const pageMembers = {
  /** The keys of these requests with their labels. */
  keys: Type.Array(UsageKey),
  /** Null on the last page. A page may have fewer requests than `limit`, or none, before the last one. */
  next_cursor: orNull(Type.String()),
  /** Later requests have all been searched; null if all requests have. */
  searched_to: orNull(Instant)
}
export const RequestsResponse = Type.Object({
  requests: Type.Array(LoggedRequest),
  ...pageMembers,
  /** Whether gateways log requests now. If not, new requests do not appear. */
  is_logging: Type.Boolean()
})
export type RequestsResponse = Static<typeof RequestsResponse>
export const AdminRequestsResponse = Type.Object({ requests: Type.Array(AdminLoggedRequest), ...pageMembers })
export type AdminRequestsResponse = Static<typeof AdminRequestsResponse>
/** `key` is null if it was deleted. */
export const RequestResponse = Type.Object({ request: RequestDetail, key: orNull(UsageKey) })
export type RequestResponse = Static<typeof RequestResponse>
export const AdminRequestResponse = Type.Object({ request: AdminRequestDetail, key: orNull(UsageKey) })
export type AdminRequestResponse = Static<typeof AdminRequestResponse>
