import assert from 'node:assert/strict'
import { headingId } from '@tollgate/contracts/docs/docs-facts.ts'
import { docsPages as texts } from '@tollgate/contracts/docs/docs-pages.ts'
import { test } from 'tap'
import { docsPages, fillPage, isDocsPage } from './list-pages.ts'

test('a page has the model of the reader in place of MODEL, and no title of its own', async () => {
  const text = '# Title\n\n{ "model": "MODEL" }, ANTHROPIC_MODEL=MESSAGES_MODEL, RESPONSES_MODEL, `OPENAI_MODEL`'
  const models = { MODEL: '$&x', MESSAGES_MODEL: 'claude' }
  assert.equal(fillPage(text, models), '{ "model": "$&x" }, ANTHROPIC_MODEL=claude, RESPONSES_MODEL, `OPENAI_MODEL`')
})

test('error codes and event types are ids of their headings', async () => {
  assert.equal(headingId('invalid_api_key'), 'invalid_api_key')
  assert.equal(headingId('budget.threshold'), 'budget.threshold')
  assert.equal(headingId('Verify a message'), 'verify-a-message')
})

test('only pages that exist have an address', async () => {
  assert.deepEqual(['errors', 'api', 'nothing'].map(isDocsPage), [true, false, false])
})

test('the list has every text, by its title', async () => {
  assert.deepEqual(
    docsPages,
    Object.entries(texts).map(([page, { title }]) => [page, title])
  )
})
