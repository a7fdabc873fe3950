import { type Static, type TString, Type } from 'typebox'
import { meters, pricedUnits, units } from '../meters/meters.ts'
import { receiptKinds } from '../requests/receipt.ts'
import { refusedMembers } from '../requests/refusal-reasons.ts'
import { described } from './described.ts'
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
  key: described('Id of a key.', Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))),
  member: described(
    'Id of a user: requests with the keys that they created.',
    Type.Optional(Type.String({ format: 'uuid' }))
  ),
  model: described('The requested model.', Type.Optional(Type.String({ minLength: 1, maxLength: 500 }))),
  status: described(
    'Such as `429`, or `5xx` for all from 500 to 599.',
    Type.Optional(Type.String({ pattern: patterns.status }))
  ),
  code: described('The code of an error.', Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))),
  from: described('Admitted at this time or later.', Type.Optional(Instant)),
  to: described('Admitted before this time.', Type.Optional(Instant)),
  min_cost_usd: described(
    'Requests that cost at least this, in US dollars.',
    Type.Optional(Type.String({ pattern: patterns.usd }))
  ),
  max_cost_usd: described(
    'Requests that cost at most this, in US dollars.',
    Type.Optional(Type.String({ pattern: patterns.usd }))
  ),
  min_duration_ms: described(
    'Requests that took at least this, in milliseconds.',
    Type.Optional(Type.String({ pattern: patterns.upTo9Digits }))
  ),
  max_duration_ms: described(
    'Requests that took at most this, in milliseconds.',
    Type.Optional(Type.String({ pattern: patterns.upTo9Digits }))
  )
}
const page = {
  limit: described('1 to 100; default 50.', Type.Optional(Type.String({ pattern: patterns.upTo100 }))),
  cursor: described('`next_cursor` of the previous page.', Type.Optional(Type.String({ minLength: 1, maxLength: 100 })))
}
const format = {
  format: described('Default: `ndjson`, one JSON object in each line.', Type.Optional(Type.Enum(['ndjson', 'csv'])))
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

export const RequestParams = Type.Object({ id: described('The `x-request-id` of the answer.', Type.String()) })

/** A request of the log. It has no words of prompts or answers. */
export const LoggedRequest = Type.Object(
  {
    id: described('The client got it as `x-request-id`.', Type.String()),
    at: described('When it was admitted or refused.', Instant),
    kind: described(
      '`settled`: its cost was charged. `reaped`: its gateway stopped, so its whole reservation was charged. `refused`: it was not admitted.',
      Type.Enum([...receiptKinds])
    ),
    count: described(
      'For how many equal refusals of the key it stands, itself included; 1 for other requests.',
      Type.Integer({ minimum: 1 })
    ),
    key_id: described('The key that made it.', Type.String()),
    endpoint: described('The path, such as `/v1/chat/completions`.', Type.String()),
    model: described('The requested model; null if the request was refused before it was read.', orNull(Type.String())),
    asked_model: described('The name that the client sent, if it is an alias of the model.', orNull(Type.String())),
    answered_model: described('The model that the answer names, if that is another one.', orNull(Type.String())),
    stream: described('Whether the client asked for a stream.', Type.Boolean()),
    status: described(
      'The status that the client got; 499 if it left before the answer began; null if the gateway stopped.',
      orNull(Type.Integer())
    ),
    code: described('The code of the error that the client got.', orNull(Type.String())),
    /** Only of a request that was refused for an amount. Of several refusals, the smallest. */
    ...refusedMembers,
    attempts: described('How many calls to providers it took.', Count),
    client_gone: described('Whether the client left before the end of the answer.', Type.Boolean()),
    reserved_usd: described('What was reserved at its admission.', Usd),
    reserved_tokens: described('Tokens that were reserved at its admission: its prompt and maximum output.', Count),
    granted_output_tokens: described('The limit of output tokens that it got; null if unknown.', orNull(Count)),
    ...countMembers(meters),
    cost_usd: described('US dollars that it was charged.', Usd),
    estimated: described(
      'Whether tokens and cost are estimates, because the provider reported no usage.',
      Type.Boolean()
    ),
    service_tier: described(
      "The provider's service tier that was charged; null for the usual one.",
      orNull(Type.String())
    ),
    first_byte_ms: described('From the arrival of the request to the first byte of the answer.', orNull(Count)),
    duration_ms: described('From the arrival of the request to its end.', orNull(Count)),
    address: described("The client's address, if the operator keeps addresses.", orNull(Type.String()))
  },
  closed
)
export type LoggedRequest = Static<typeof LoggedRequest>

/** US dollars of each kind, by unit. Units other than tokens may be missing. */
const unitPrices = Object.fromEntries(
  pricedUnits.map(([unit]) => {
    const { per, prices: member } = units[unit]
    const description = `US dollars for ${per === 1 ? `each ${unit}` : `a million ${unit}s`}, by kind.`
    const prices = Type.Record(Type.String(), Usd, { description })
    return [member, unit === 'token' ? prices : Type.Optional(prices)]
  })
) as { usd_per_million_tokens: ReturnType<typeof Type.Record<TString, typeof Usd>> }

export const ChargedPrices = Type.Object({
  ...unitPrices,
  request_usd: described('US dollars for the request itself.', Usd),
  tool_call_usd: described("By the tool's type.", Type.Record(Type.String(), Usd)),
  price_group: described(
    'The price group, and its factor of the list prices, which these prices have. Null: they are the list prices.',
    orNull(
      Type.Object({
        name: described('The name of the group.', Type.String()),
        multiplier: described('Its factor of the list prices.', Type.Number())
      })
    )
  )
})
export type ChargedPrices = Static<typeof ChargedPrices>

/** Prices in force at admission; null if nothing was charged. */
const prices = {
  prices: described(
    'US dollars of each kind, as they were in force at admission; null if nothing was charged.',
    orNull(ChargedPrices)
  )
}

/** A call to a provider that failed. Only operators see which provider it was. */
const failedCall = {
  code: described(
    'The code of the error that tells why. The client got it only if no other call followed.',
    Type.String()
  ),
  status: described("The status of the provider's response; null without a response.", orNull(Type.Integer())),
  started_ms: described('From the arrival of the request to the call.', Count),
  duration_ms: described('From the call to its failure.', Count)
}
const FailedAttempt = Type.Object({ upstream: Type.String(), ...failedCall }, closed)
export type FailedAttempt = Static<typeof FailedAttempt>

/** The calls that failed, in their order. If `attempts` is more than these, the last call has not failed. */
const failedCalls = {
  failed_attempts: described(
    'The calls that failed, in their order. If `attempts` is more than these, the last call has not failed.',
    Type.Array(Type.Object(failedCall, closed))
  )
}
const provider = {
  upstream: described('The upstream that was called last; null for none.', orNull(Type.String())),
  failed_attempts: described(
    'The calls that failed, in their order. If `attempts` is more than these, the last call has not failed.',
    Type.Array(FailedAttempt)
  )
}

/** A request with its failed calls and the prices that gave its cost. */
export const RequestDetail = Type.Object({ ...LoggedRequest.properties, ...failedCalls, ...prices }, closed)
export type RequestDetail = Static<typeof RequestDetail>

const SignedUsd = Type.String({ pattern: '^-?(0|[1-9][0-9]*)\\.[0-9]{2,9}$' })
const earnings = {
  provider_cost_usd: described('What the provider bills for it.', Usd),
  margin_usd: described(
    '`cost_usd`, which the account pays, minus that. Below zero if it was sold below its cost.',
    SignedUsd
  )
}

/** What operators see besides. */
const forOperators = { account_id: Type.String({ format: 'uuid' }), ...earnings, ...provider }
export const AdminLoggedRequest = Type.Object({ ...LoggedRequest.properties, ...forOperators }, closed)
export type AdminLoggedRequest = Static<typeof AdminLoggedRequest>
export const AdminRequestDetail = Type.Object({ ...AdminLoggedRequest.properties, ...prices }, closed)
export type AdminRequestDetail = Static<typeof AdminRequestDetail>

const pageMembers = {
  keys: described('The keys of these requests with their labels.', Type.Array(UsageKey)),
  next_cursor: described(
    'Null on the last page. A page may have fewer requests than `limit`, or none, before the last one.',
    orNull(Type.String())
  ),
  searched_to: described('Later requests have all been searched; null if all requests have.', orNull(Instant))
}
export const RequestsResponse = Type.Object({
  requests: described('Newest first.', Type.Array(LoggedRequest)),
  ...pageMembers,
  is_logging: described('Whether gateways log requests now. If not, new requests do not appear.', Type.Boolean())
})
export type RequestsResponse = Static<typeof RequestsResponse>
export const AdminRequestsResponse = Type.Object({ requests: Type.Array(AdminLoggedRequest), ...pageMembers })
export type AdminRequestsResponse = Static<typeof AdminRequestsResponse>
/** `key` is null if it was deleted. */
export const RequestResponse = Type.Object({
  request: described('The request.', RequestDetail),
  key: described('The key that made it; null if it was deleted.', orNull(UsageKey))
})
export type RequestResponse = Static<typeof RequestResponse>
export const AdminRequestResponse = Type.Object({ request: AdminRequestDetail, key: orNull(UsageKey) })
export type AdminRequestResponse = Static<typeof AdminRequestResponse>
