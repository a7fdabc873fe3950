import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { Controls } from '../controls.ts'
import { invalidRequest } from '../errors.ts'

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

const PlannedFailure = Type.Partial(
  Type.Object(
    {
      count: Type.Integer({ minimum: 1 }),
      method: Type.Union([Type.Literal('GET'), Type.Literal('POST'), Type.Literal('DELETE')]),
      path: Type.String(),
      when: Type.Union([Type.Literal('before'), Type.Literal('after')]),
      status: Type.Integer({ minimum: 200, maximum: 599 }),
      body: Type.String(),
      content_type: Type.String(),
      reset: Type.Boolean(),
      delay_ms: Type.Integer({ minimum: 0 }),
      hang: Type.Boolean()
    },
    { additionalProperties: false }
  )
)

/**
 * Registers `/_sandbox`, which Stripe does not have: another process pays a checkout without its page, and plans
 * failures of calls. Bodies are JSON, because
 * a page of another origin cannot send JSON without a preflight.
 */
export function registerSandboxApi(app: FastifyInstance, controls: Controls): void {
  app.post('/_sandbox/checkout/sessions/:id/pay', async (request) => {
    const { id } = request.params as { id: string }
    return controls.pay(id, readJson(Payment, request))
  })
  app.post('/_sandbox/failures', async (request) => {
    controls.failNext(readJson(PlannedFailure, request))
    return { planned: controls.plannedFailures() }
  })
  app.delete('/_sandbox/failures', async () => {
    controls.clearFailures()
    return { planned: controls.plannedFailures() }
  })
}

function readJson<Schema extends TSchema>(schema: Schema, { body }: FastifyRequest): Static<Schema> {
  const value = body ?? {}
  if (Value.Check(schema, value)) return value
  const [problem] = Value.Errors(schema, value)
  throw invalidRequest(`The body is not valid (${problem?.instancePath || 'body'}: ${problem?.message}).`)
}
