import assert from 'node:assert/strict'
import { errorTable } from '@tollgate/contracts/errors/table.ts'
import { test } from 'tap'
import { ApiError } from '../../api/api-error.ts'
import { explainFailure } from './explain-failure.ts'

const failed = (status: number, code: string) => new ApiError(status, code, 'The words of the gateway.')
const linksOf = (code: string, role: 'owner' | 'seat' = 'owner') =>
  explainFailure(failed(400, code), role).remedies.map(({ to }) => to)

test('what a plan or a budget refuses comes with a link to where it can be changed', async () => {
  assert.deepEqual(linksOf('monthly_budget_exceeded'), ['/dashboard/billing'])
  assert.deepEqual(linksOf('key_budget_exceeded'), ['/dashboard/keys'])
  for (const code of ['request_budget_exceeded', 'model_not_allowed', 'requests_per_minute', 'tokens_per_minute']) {
    assert.deepEqual(linksOf(code), ['/dashboard/billing'], code)
    assert.ok(code in errorTable, 'a code of the gateway')
  }
})

test('a budget for a day, some models or a person is named in the words of the gateway', async () => {
  const refused = (scope: string | null, role: 'owner' | 'seat') =>
    explainFailure(new ApiError(402, 'budget_exceeded', 'The budget of the key for today.', null, null, scope), role)
  assert.ok('budget_exceeded' in errorTable, 'a code of the gateway')
  for (const [scope, role, to, text] of [
    ['key', 'owner', ['/dashboard/keys'], 'The budget of the key for today.'],
    ['key', 'seat', ['/dashboard/keys'], 'The budget of the key for today.'],
    ['account', 'owner', ['/dashboard/billing'], 'The budget of the key for today.'],
    ['member', 'seat', [], 'The budget of the key for today. Ask the owner of your team.'],
    [null, 'owner', ['/dashboard/billing'], 'The budget of the key for today.']
  ] as const) {
    const told = refused(scope, role)
    assert.deepEqual([told.remedies.map((remedy) => remedy.to), told.text], [to, text], `${scope} ${role}`)
  }
})

test('a seat, who can change neither, is told whom to ask', async () => {
  const { text, remedies } = explainFailure(failed(402, 'monthly_budget_exceeded'), 'seat')
  assert.deepEqual(remedies, [])
  assert.match(text, /Ask the owner of your team\.$/)
})

test('other failures keep the words of the gateway', async () => {
  assert.deepEqual(explainFailure(failed(502, 'upstream_error'), 'owner'), {
    text: 'The words of the gateway.',
    remedies: []
  })
  assert.match(explainFailure(new Error('x'), 'owner').text, /Something went wrong/)
})
