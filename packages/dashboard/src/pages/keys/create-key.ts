import { ApiError, isCode } from '../../api/api-error.ts'
import { type Answer, call, type Input } from '../../api/call.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { refetchShown } from '../../api/refetch-shown.ts'

type CreatedKey = Answer<'createKey'>['key']
type ShownAccount = Pick<Answer<'getAccount'>['account'], 'id' | 'role'>

/**
 * Creates a key. If an earlier attempt created it but its response was lost, nobody has seen the value. Then the existing
 * key gets the requested settings and a new value.
 *
 * @param shown the account that the person saw: in another one, no key is created
 * @param requested the settings of the key
 * @param idempotencyKey the same in every attempt
 * @throws ApiError
 */
export async function createKey(
  { id, role }: ShownAccount,
  requested: Input<'createKey'>['body'],
  idempotencyKey: string
): Promise<CreatedKey> {
  try {
    return (await call('createKey', { body: { ...requested, account_id: id }, idempotencyKey })).key
  } catch (error) {
    if (isCode(error, 'account_changed')) {
      refetchShown()
      const why = role === 'seat' ? 'You are no longer in the team' : 'You joined a team'
      throw new ApiError(409, error.code, `${why}, so no key was created. Close this dialog to see your keys now.`)
    }
    if (!isCode(error, 'already_created') || error.keyId === null) throw error
    const params = { id: error.keyId }
    const { scope: _, ...settings } = requested
    await call('changeKey', { params, body: settings })
    const { key } = await call('rotateKey', { params, body: {}, idempotencyKey: newIdempotencyKey() })
    return { ...key, label: requested.label }
  }
}
