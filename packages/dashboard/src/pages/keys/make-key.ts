import { isCode } from '../../api/api-error.ts'
import { type Answer, call, type Input } from '../../api/call.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'

type Made = Answer<'createKey'>['key']

/**
 * Makes a key. If an earlier try made it and its answer was lost, nobody has ever seen the value: the key gets what is
 * asked for now, and another value.
 *
 * @param idempotencyKey the same in every try
 * @throws ApiError
 */
export async function makeKey(asked: Input<'createKey'>['body'], idempotencyKey: string): Promise<Made> {
  try {
    return (await call('createKey', { body: asked, idempotencyKey })).key
  } catch (error) {
    if (!isCode(error, 'already_created') || error.keyId === null) throw error
    const params = { id: error.keyId }
    const { scope: _, ...terms } = asked
    await call('changeKey', { params, body: terms })
    const { key } = await call('rotateKey', { params, body: {}, idempotencyKey: newIdempotencyKey() })
    return { ...key, label: asked.label }
  }
}
