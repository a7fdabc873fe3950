import {
  FoundKeyResponse,
  RevokedKeyResponse,
  type RevokeReportedKeyRequest
} from '@tollgate/contracts/http/admin/keys.ts'
import { type CommandIo, exitCodes, UsageError } from '../commands/command.ts'
import {
  type Action,
  confirm,
  createCommand,
  type Input,
  printable,
  show,
  yesOption
} from '../commands/create-command.ts'
import { createAdminClient } from './admin-client.ts'
import { budget, topUp } from './key-budgets.ts'
import { reasonOption } from './option-values.ts'

const revoke: Action = {
  name: 'revoke',
  summary: 'Revokes a key at once, at every gateway. With "-" for KEY, it reads the key’s value from standard input.',
  operands: ['[KEY]'],
  options: {
    ...reasonOption,
    hash: { value: 'SHA256', text: 'the SHA-256 of the key’s value, in hex, instead of KEY' },
    ...yesOption
  },
  async run(input, io) {
    const reason = input.required('reason')
    const client = createAdminClient(io)
    const named = await nameKey(input, io)
    if (!input.has('yes')) {
      const answer = await client.call(FoundKeyResponse, 'POST', '/keys/find', { body: named })
      await confirm(input, io, `${describeFound(answer.key)}\nIt will stop working for ever.`)
    }
    const body = { ...named, reason } as RevokeReportedKeyRequest
    const result = await client.call(RevokedKeyResponse, 'POST', '/keys/revoke', { body })
    const { key, mailed } = result
    show(input, io, result, () =>
      [
        `Revoked ${key.id} "${printable(key.label)}" of account ${key.account_id}.`,
        mailed ? 'Its owner gets a mail.' : 'Its owner gets no mail: tell them yourself.'
      ].join('\n')
    )
    return exitCodes.done
  }
}

/** Whose key it is: the id that somebody reported may be another one's. */
function describeFound({
  id,
  label,
  status,
  last_used_at: last,
  owner_email: owner,
  account_id: account
}: FoundKeyResponse['key']): string {
  const used = last === null ? 'never used' : `last used ${last}`
  return `${id} "${printable(label)}" of ${printable(owner) || 'a deleted owner'} (account ${account}): ${status}, ${used}.`
}

/** How the values of keys begin, also those that were copied only in part. */
const secretForm = /^tgm?_/

/** A value must not be an argument: the shell's history and the list of processes would keep it. */
async function nameKey(input: Input, io: CommandIo): Promise<{ id: string } | { hash: string } | { value: string }> {
  const [key] = input.operands
  const hash = input.text('hash')
  if ((key === undefined) === (hash === null)) throw new UsageError('Give the id of a key, "-", or --hash.')
  if (hash !== null) {
    if (!/^[0-9a-f]{64}$/i.test(hash)) throw new UsageError('--hash: write 64 hex digits, as sha256sum prints them.')
    return { hash: hash.toLowerCase() }
  }
  if (key !== '-') {
    if (!secretForm.test(key!)) return { id: key! }
    throw new UsageError(
      'This is the value of a key, and your shell’s history has it now. Use "-" and paste the value when asked.'
    )
  }
  const value = (await io.ask('The key’s value: ', { hidden: true })).trim()
  if (value === '') throw new UsageError('The value is empty. Paste the whole key.')
  return { value }
}

export const key = createCommand('key', 'revoke a leaked key, or change its budgets with a management key', [
  revoke,
  budget,
  topUp
])
