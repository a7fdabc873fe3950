import { isCode } from '../../api/api-error.ts'
import { type Answer, call, type Input } from '../../api/call.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'

type CreatedKey = Answer<'createKey'>['key']

/**
 * Creates a key. If an earlier attempt created it but its response was lost, nobody has seen the value. Then the existing
 * key gets the requested settings and a new value.
 *
 * @param requested the settings of the key
 * @param idempotencyKey the same in every attempt
 * @throws ApiError
 */
export async function createKey(requested: Input<'createKey'>['body'], idempotencyKey: string): Promise<CreatedKey> {
  try {
    return (await call('createKey', { body: requested, idempotencyKey })).key
  } catch (error) {
    if (!isCode(error, 'already_created') || error.keyId === null) throw error
    const params = { id: error.keyId }
    const { scope: _, ...settings } = requested
    await call('changeKey', { params, body: settings })
    const { key } = await call('rotateKey', { params, body: {}, idempotencyKey: newIdempotencyKey() })
    return { ...key, label: requested.label }
  }
}
