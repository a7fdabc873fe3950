import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInBrand } from '@tollgate/service/brand/brand.ts'
import { test } from 'tap'
import { createFakeTerminal } from '../testing/fake-io.ts'
import { listMailFiles, type MailFile } from './mails-command.ts'

const brand = {
  BRAND_NAME: 'Acme & Söhne <AI>',
  BRAND_LOGO_URL: 'https://acme.example/logo.png?a=1&b={{ .Token }}',
  BRAND_COLOR: '#ffd400',
  SUPPORT_URL: 'mailto:help@acme.example',
  LEGAL_URL: 'https://acme.example/legal'
}

test('the title of each template is the subject of the mail', async () => {
  for (const { file, subject, html } of listMailFiles(builtInBrand)) {
    assert.ok(html.includes(`<title>${subject}</title>`), file)
  }
})

test('an operator gets the templates in their brand', async () => {
  const terminal = createFakeTerminal()
  const ran = await terminal.run('mails --out supabase/templates', { env: brand })
  assert.equal(ran.code, 0, ran.err)
  assert.match(ran.out, /^supabase\/templates\/recovery\.html +Reset password +Choose a new password$/m)
  const directory = join(terminal.configHome, 'supabase/templates')
  assert.deepEqual(readdirSync(directory).sort(), [
    'confirmation.html',
    'invite.html',
    'magic_link.html',
    'recovery.html'
  ])
  for (const file of readdirSync(directory)) {
    const html = readFileSync(join(directory, file), 'utf8')
    assert.doesNotMatch(html, /tollgate/i, file)
    assert.match(html, /at Acme &#38; Söhne &#60;AI&#62;/)
    assert.ok(html.includes('src="https://acme.example/logo.png?a=1&#38;b=&#123;&#123; .Token }}"'), 'no Go action')
    assert.match(html, /background:#ffd400;color:#111111;/)
    assert.match(html, /href="mailto:help@acme\.example"/)
    assert.match(html, /href="https:\/\/acme\.example\/legal"/)
  }
})

test('with --json, the templates are printed, and written only if asked for', async () => {
  const { mails } = (await createFakeTerminal(brand).run('mails --json')).json<{ mails: MailFile[] }>()
  assert.deepEqual(
    mails.map(({ file, template }) => [file, template]),
    [
      ['confirmation.html', 'Confirm sign up'],
      ['recovery.html', 'Reset password'],
      ['invite.html', 'Invite user'],
      ['magic_link.html', 'Magic link']
    ]
  )
  assert.match(mails[0]!.html, /Acme &#38; Söhne/)
})

test('a wrong setting, a missing folder and a folder that cannot be written are named', async () => {
  const terminal = createFakeTerminal()
  assert.match((await terminal.run('mails')).err, /--out is missing/)
  const wrong = await terminal.run('mails --out x', {
    env: { BRAND_COLOR: 'blue', SUPPORT_URL: 'javascript:alert(1)' }
  })
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /BRAND_COLOR: .*#007565/)
  const turned = await terminal.run('mails --out x', { env: { BRAND_NAME: 'Acme\u202e' } })
  assert.match(turned.err, /BRAND_NAME: .*a name in one line/)
  const rule = await terminal.run('mails --out x', { env: { BRAND_LOGO_URL: 'https://a;sandbox/logo.png' } })
  assert.match(rule.err, /BRAND_LOGO_URL: must be an address with https/, 'a host that begins another rule of a policy')
  const link = await terminal.run('mails --out x', { env: { SUPPORT_URL: 'javascript:alert(1)' } })
  assert.match(link.err, /SUPPORT_URL: must be an address/)
  const file = await terminal.run('mails --out /dev/null/x')
  assert.equal(file.code, 1)
  assert.match(file.err, /\/dev\/null\/x cannot be written \(E[A-Z]+\)/)
})
