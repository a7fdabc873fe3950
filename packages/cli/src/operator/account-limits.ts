import {
  AdminAccountResponse,
  type ChangeAccountByOperatorRequest,
  type OwnLimits
} from '@tollgate/contracts/http/admin/accounts.ts'
import { PendingActResponse } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { Type } from 'typebox'
import type { Action, Input } from '../commands/action.ts'
import type { CommandIo } from '../commands/command.ts'
import { UsageError } from '../commands/command-error.ts'
import { exitCodes } from '../commands/exit-codes.ts'
import { show } from '../commands/show.ts'
import { accountId } from './account-id.ts'
import { createAdminClient } from './admin-client.ts'
import { describeAccount, describePending } from './describe-account.ts'
import { instantOption, integerOption, numberOption, reasonOption } from './option-values.ts'

const endOptions = {
  until: { value: 'TIME', text: 'when it ends, UTC; without it, it does not end' },
  clear: { value: null, text: 'remove what an operator set' }
} as const

/** `account limit`: limits instead of the plan's. */
export const limit: Action = {
  name: 'limit',
  summary: 'Sets limits instead of the plan’s. They replace all limits that an operator set before.',
  operands: ['ACCOUNT'],
  options: {
    ...reasonOption,
    'monthly-budget': { value: 'USD', text: 'spend per month' },
    'request-budget': { value: 'USD', text: 'maximum cost of a request' },
    'requests-per-minute': { value: 'N', text: 'request rate' },
    'tokens-per-minute': { value: 'N', text: 'token rate' },
    'concurrent-requests': { value: 'N', text: 'requests in flight' },
    'key-quota': { value: 'N', text: 'number of keys' },
    ...endOptions
  },
  async run(input, io) {
    const limits = limitsOf(input)
    const isEmpty = Object.keys(limits).length === 1
    if (input.has('clear') !== isEmpty) throw new UsageError('Give at least one limit, or --clear to remove all.')
    return change(input, io, { reason: input.required('reason'), limits: isEmpty ? null : limits })
  }
}

/** `account plan`: a plan instead of the account's own. */
export const plan: Action = {
  name: 'plan',
  summary: 'Sets a plan instead of the account’s own. The subscription stays as it is.',
  operands: ['ACCOUNT', '[PLAN]'],
  options: { ...reasonOption, ...endOptions },
  async run(input, io) {
    const [, id] = input.operands
    if (input.has('clear') !== (id === undefined)) throw new UsageError('Give a plan, or --clear to remove it.')
    const override = id === undefined ? null : { id, ends_at: instantOption(input, 'until') }
    return change(input, io, { reason: input.required('reason'), plan: override })
  }
}

async function change(input: Input, io: CommandIo, body: ChangeAccountByOperatorRequest) {
  const client = createAdminClient(io)
  const id = await accountId(client, input.operands[0]!)
  const answer = Type.Union([AdminAccountResponse, PendingActResponse])
  const result = await client.call(answer, 'PATCH', `/accounts/${id}`, { body })
  show(input, io, result, () =>
    'pending' in result ? describePending(result.pending) : describeAccount(result.account)
  )
  return exitCodes.done
}

function limitsOf(input: Input): OwnLimits {
  const values = {
    monthly_budget_usd: numberOption(input, 'monthly-budget'),
    request_budget_usd: numberOption(input, 'request-budget'),
    requests_per_minute: integerOption(input, 'requests-per-minute'),
    tokens_per_minute: integerOption(input, 'tokens-per-minute'),
    concurrent_requests: integerOption(input, 'concurrent-requests'),
    key_quota: integerOption(input, 'key-quota')
  }
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
  return { ...given, ends_at: instantOption(input, 'until') }
}
