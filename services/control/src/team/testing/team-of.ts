import assert from 'node:assert/strict'
import { createClient } from '@supabase/supabase-js'
import type { Team } from '@tollgate/contracts/http/team.ts'
import { type AccountRecord, readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import type { Answer } from '../../testing/call-control.ts'
import { serviceRoleKey } from '../../testing/control-options.ts'
import type { RunningControl, TestUser } from '../../testing/running-control.ts'

export const codeOf = (answer: Answer) => (answer.body as { error: { code: string } }).error.code

/** The status, with the code of a failure: `201`, or `403 forbidden`. */
export const outcomeOf = (answer: Answer): string =>
  answer.status < 400 ? String(answer.status) : `${answer.status} ${codeOf(answer)}`

type By = Pick<TestUser, 'cookie'>

/** Calls of users in teams. */
export function teamOf(control: RunningControl) {
  const { call } = control
  const api = {
    invite: (owner: By, email: string) => call('POST', '/api/team/seats', { cookie: owner.cookie, body: { email } }),
    accept: (invitee: By, token: string) =>
      call('POST', `/api/team/invitations/${token}/accept`, { cookie: invitee.cookie }),
    remove: (by: By, id: string) => call('DELETE', `/api/team/seats/${id}`, { cookie: by.cookie }),

    /** Invites a user. @returns the link's token and the invitation's id */
    async invited(owner: By, { email }: Pick<TestUser, 'email'>): Promise<{ token: string; id: string }> {
      const answer = await api.invite(owner, email)
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
      const { id, link } = (answer.body as { invitation: { id: string; link: string } }).invitation
      return { id, token: link.split('/').at(-1)! }
    },

    /** Invites a user, who accepts. */
    async joined(owner: By, invitee: TestUser): Promise<void> {
      const { token } = await api.invited(owner, invitee)
      assert.equal(outcomeOf(await api.accept(invitee, token)), '200')
    },

    async team(by: By): Promise<Team> {
      const answer = await call('GET', '/api/team', { cookie: by.cookie })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return (answer.body as { team: Team }).team
    },

    async account(by: By): Promise<Record<string, unknown>> {
      return ((await call('GET', '/api/account', { cookie: by.cookie })).body as { account: Record<string, unknown> })
        .account
    },

    /** The account's record for gateways. */
    async record(accountId: string): Promise<AccountRecord> {
      return readAccountRecord((await control.redis.client.hget(accountName(accountId), 'r'))!)
    },

    /** `app_metadata.plan` at the identity provider. */
    async planAtProvider(userId: string): Promise<unknown> {
      const client = createClient(control.identity.url, serviceRoleKey, {
        auth: { persistSession: false, autoRefreshToken: false }
      })
      const { data, error } = await client.auth.admin.getUserById(userId)
      if (error !== null) throw error
      return data.user.app_metadata.plan
    }
  }
  return api
}
