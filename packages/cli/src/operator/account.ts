import { randomUUID } from 'node:crypto'
import {
  AdminAccountResponse,
  AdminAccountsResponse,
  SignedOutResponse
} from '@tollgate/contracts/http/admin/accounts.ts'
import { AdjustmentResponse } from '@tollgate/contracts/http/admin/adjustments.ts'
import { PendingActResponse } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { OkResponse } from '@tollgate/contracts/http/auth.ts'
import { Type } from 'typebox'
import { exitCodes, UsageError } from '../commands/command.ts'
import { type Action, confirm, createCommand, printable, show, yesOption } from '../commands/create-command.ts'
import { describeAccount, describeAccounts, describePending, limit, plan } from './account-limits.ts'
import { createAdminClient } from './admin-client.ts'
import { accountId, monthOption, numberOption, reasonOption } from './option-values.ts'

const list: Action = {
  name: 'list',
  summary: 'Lists accounts, those that spent most this month first.',
  options: {
    q: { value: 'TEXT', text: 'part of an address, an id, a key’s id, or a value of a key’s metadata' },
    plan: { value: 'PLAN', text: 'only accounts with this plan' },
    status: { value: 'STATUS', text: 'active, suspended, waiting (for an operator’s approval) or in_team' },
    'past-due': { value: null, text: 'only accounts whose last payment failed' },
    sort: { value: 'ORDER', text: 'spend (default) or created: newest first' },
    limit: { value: 'N', text: '1 to 100; default 50' },
    cursor: { value: 'TEXT', text: 'next page: the cursor that the last page printed' }
  },
  async run(input, io) {
    const query = {
      ...Object.fromEntries(['q', 'plan', 'status', 'sort', 'limit', 'cursor'].map((name) => [name, input.text(name)])),
      past_due: input.has('past-due') ? 'true' : null
    }
    const page = await createAdminClient(io).call(AdminAccountsResponse, 'GET', '/accounts', { query })
    show(input, io, page, () => describeAccounts(page.accounts))
    if (page.next_cursor !== null) io.err(`There are more. Add: --cursor ${page.next_cursor}\n`)
    return exitCodes.done
  }
}

const showOne: Action = {
  name: 'show',
  summary: 'Shows everything about an account. ACCOUNT is its id, or its owner’s address.',
  operands: ['ACCOUNT'],
  async run(input, io) {
    const client = createAdminClient(io)
    const path = `/accounts/${await accountId(client, input.operands[0]!)}`
    const result = await client.call(AdminAccountResponse, 'GET', path)
    show(input, io, result, () => describeAccount(result.account))
    return exitCodes.done
  }
}

const suspendOrResume = (name: 'suspend' | 'resume' | 'approve', summary: string): Action => ({
  name,
  summary,
  operands: ['ACCOUNT'],
  options: reasonOption,
  async run(input, io) {
    const body = { reason: input.required('reason') }
    const client = createAdminClient(io)
    const path = `/accounts/${await accountId(client, input.operands[0]!)}/${name}`
    const result = await client.call(AdminAccountResponse, 'POST', path, { body })
    const { email, id, status } = result.account
    show(input, io, result, () => `${printable(email || id)} is ${status} at every gateway.`)
    return exitCodes.done
  }
})

const signout: Action = {
  name: 'signout',
  summary: 'Ends all sessions of the account’s users. Keys keep working.',
  operands: ['ACCOUNT'],
  options: reasonOption,
  async run(input, io) {
    const body = { reason: input.required('reason') }
    const client = createAdminClient(io)
    const path = `/accounts/${await accountId(client, input.operands[0]!)}/signout`
    const result = await client.call(SignedOutResponse, 'POST', path, { body })
    show(input, io, result, () => `Ended ${result.sessions} sessions.`)
    return exitCodes.done
  }
}

const adjust: Action = {
  name: 'adjust',
  summary: 'Charges or credits an account. The customer sees it with the reason. It may ask for your password.',
  operands: ['ACCOUNT'],
  options: {
    ...reasonOption,
    charge: { value: 'USD', text: 'amount to charge' },
    credit: { value: 'USD', text: 'amount to credit' },
    month: { value: 'MONTH', text: 'default: this month, UTC' },
    id: { value: 'UUID', text: 'a new random id; with the same id, a repeated command adjusts only once' }
  },
  async run(input, io) {
    const [charge, credit] = [numberOption(input, 'charge'), numberOption(input, 'credit')]
    if ((charge === null) === (credit === null)) throw new UsageError('Give either --charge or --credit.')
    const month = monthOption(input, 'month') ?? new Date().toISOString().slice(0, 7)
    const reason = input.required('reason')
    const client = createAdminClient(io)
    const path = `/accounts/${await accountId(client, input.operands[0]!)}/adjustments`
    const amount = { id: input.text('id') ?? randomUUID(), amount_usd: charge ?? -credit! }
    const body = { ...amount, month, reason }
    const result = await client.call(Type.Union([AdjustmentResponse, PendingActResponse]), 'POST', path, { body })
    show(input, io, result, () => {
      if ('pending' in result) return describePending(result.pending)
      return `Adjusted ${result.adjustment.month} by ${result.adjustment.amount_usd} USD. It counts towards the cap.`
    })
    return exitCodes.done
  }
}

const remove: Action = {
  name: 'delete',
  summary: 'Deletes an account with its owner and keys, for ever. It may ask for your password.',
  operands: ['ACCOUNT'],
  options: { ...reasonOption, ...yesOption },
  async run(input, io) {
    const reason = input.required('reason')
    const client = createAdminClient(io)
    const id = await accountId(client, input.operands[0]!)
    await confirm(input, io, `Account ${printable(input.operands[0]!)} and all its keys will be deleted for ever.`)
    const body = { reason }
    const result = await client.call(OkResponse, 'DELETE', `/accounts/${id}`, { body })
    show(input, io, result, () => `Deleted account ${id}.`)
    return exitCodes.done
  }
}

export const account = createCommand('account', 'see and change accounts', [
  list,
  showOne,
  suspendOrResume(
    'suspend',
    'Refuses all requests of the account, at every gateway, at once. Its open requests end, too.'
  ),
  suspendOrResume('resume', 'Ends an operator’s suspension.'),
  suspendOrResume('approve', 'Approves an account that waits for approval: SIGNUP=approved. Its owner gets a mail.'),
  signout,
  limit,
  plan,
  adjust,
  remove
])
