import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { Controls } from '../controls.ts'
import { invalidRequest } from '../errors.ts'
import { DeliveryMode } from '../events/delivery-mode.ts'
import { Failure } from './failures.ts'

const Advance = Type.Union([
  Type.Object({ seconds: Type.Integer({ minimum: 0 }) }, { additionalProperties: false }),
  Type.Object({ to: Type.Integer() }, { additionalProperties: false })
])

const Release = Type.Object(
  { events: Type.Optional(Type.Array(Type.String())), shuffle: Type.Optional(Type.Boolean()) },
  { additionalProperties: false }
)

const Status = Type.Object(
  {
    status: Type.Enum([
      'active',
      'canceled',
      'incomplete',
      'incomplete_expired',
      'past_due',
      'paused',
      'trialing',
      'unpaid'
    ])
  },
  { additionalProperties: false }
)

const Payment = Type.Partial(
  Type.Object(
    {
      number: Type.String(),
      expiry: Type.String(),
      cvc: Type.String(),
      name: Type.String(),
      email: Type.String(),
      paid_at: Type.Integer({ minimum: 0 })
    },
    { additionalProperties: false }
  )
)

/**
 * Registers `/_sandbox`, which Stripe does not have: it controls time, failures and webhooks. Bodies are JSON, because a page
 * of another origin cannot send JSON without a preflight.
 */
export function registerSandboxApi(app: FastifyInstance, controls: Controls): void {
  app.get('/_sandbox/clock', async () => ({ now: controls.nowS() }))
  app.post('/_sandbox/clock/advance', async (request) => {
    const body = readJson(Advance, request)
    return { now: controls.advance('to' in body ? body.to - controls.nowS() : body.seconds) }
  })

  app.put('/_sandbox/webhooks', async (request) => {
    const mode = readJson(Type.Partial(DeliveryMode), request)
    controls.deliverAs(mode)
    return mode
  })
  app.post('/_sandbox/webhooks/release', async (request) => {
    const { events, shuffle } = readJson(Release, request)
    await (shuffle === true ? controls.releaseShuffled() : controls.release(events))
    return { deliveries: controls.deliveries() }
  })
  app.post('/_sandbox/webhooks/settle', async () => {
    await controls.settled()
    return { deliveries: controls.deliveries() }
  })
  app.get('/_sandbox/deliveries', async () => ({ deliveries: controls.deliveries() }))
  app.post('/_sandbox/events/:id/resend', async (request) => ({ statuses: await controls.resend(idOf(request)) }))

  app.get('/_sandbox/failures', async () => ({ failures: controls.plannedFailures() }))
  app.post('/_sandbox/failures', async (request) => {
    controls.failNext(readJson(Failure, request))
    return { failures: controls.plannedFailures() }
  })
  app.delete('/_sandbox/failures', async () => {
    controls.clearFailures()
    return { failures: [] }
  })

  app.get('/_sandbox/calls', async () => ({ calls: controls.calls() }))
  app.delete('/_sandbox/calls', async () => {
    controls.clearCalls()
    return { calls: [] }
  })

  app.put('/_sandbox/subscriptions/:id', async (request) =>
    controls.setStatus(idOf(request), readJson(Status, request).status)
  )
  app.post('/_sandbox/checkout/sessions/:id/pay', async (request) =>
    controls.pay(idOf(request), readJson(Payment, request))
  )
}

function readJson<Schema extends TSchema>(schema: Schema, { body }: FastifyRequest): Static<Schema> {
  const given = body ?? {}
  if (Value.Check(schema, given)) return given
  const [problem] = Value.Errors(schema, given)
  throw invalidRequest(`The body is not valid (${problem?.instancePath || 'body'}: ${problem?.message}).`)
}

function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id
}
