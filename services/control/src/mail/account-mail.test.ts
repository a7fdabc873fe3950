import assert from 'node:assert/strict'
import { test } from 'tap'
import { accountMail } from './account-mail.ts'
import { renderMail } from './render-mail.ts'

const at = '2026-11-23T12:00:00.000Z'
const brand = { name: 'Acme AI', logoUrl: null, color: '#2f5bea', supportUrl: null, legalUrl: null, salesUrl: null }
const revoked = { label: 'ci', scope: 'inference', prefix: 'abcdefgh', reason: 'Found in a repository' } as const

function render(notice: Parameters<typeof accountMail>[0][number], supportUrl: string | null) {
  const { button, ...content } = accountMail([notice])
  const frame = { brand: { ...brand, supportUrl }, why: 'You own an account.', unsubscribeUrl: null }
  return renderMail({ ...content, button: { text: button.text, url: `https://app.example.com${button.path}` } }, frame)
}

test('what an operator did to an account is mailed with their reason and the support address', async () => {
  const suspended = { type: 'account.suspended', data: { reason: 'operator', note: 'An unpaid <bill>' }, at } as const
  for (const [notice, reason] of [
    [suspended, 'An unpaid <bill>'],
    [{ type: 'key.revoked_by_operator', data: revoked, at }, 'Found in a repository']
  ] as const) {
    const { text, html } = render(notice, 'mailto:help@example.com')
    assert.ok(text.includes(`Reason: ${reason}\n`), text)
    assert.ok(text.includes('Contact us: help@example.com\n'), text)
    assert.ok(html.includes('Contact us: help@example.com') && !html.includes('<bill>'))
    assert.ok(render(notice, 'https://help.example.com/').text.includes('Contact us: https://help.example.com/\n'))
    assert.ok(!render(notice, null).text.includes('Contact us'))
  }
  const resumed = { type: 'account.resumed', data: { reason: 'operator' }, at } as const
  assert.ok(!render(resumed, 'mailto:help@example.com').text.includes('Contact us'))
})
