import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { linksOf } from '../../mailbox/html.ts'
import { renderTemplate } from './render-template.ts'
import { loadTemplates, type TemplateValues } from './templates.ts'

const values: TemplateValues = {
  SiteURL: 'https://app.example.com',
  ConfirmationURL: 'https://id.example.com/auth/v1/verify?token=abc&type=signup&redirect_to=x',
  Email: '"><script>alert(1)</script>@example.com',
  NewEmail: 'new@example.com',
  Token: '123456',
  TokenHash: 'abc123',
  RedirectTo: 'https://app.example.com/a?b=c&d=e',
  SendingTo: 'new@example.com'
}

t.test('the first link of each Tollgate mail leads to Tollgate, with the type that verifyOtp takes', async (t) => {
  const templates = loadTemplates('tollgate')
  for (const [kind, type] of [
    ['confirmation', 'email'],
    ['recovery', 'recovery']
  ] as const) {
    const { subject, html } = renderTemplate(templates[kind], values)
    t.equal(linksOf(html)[0], `https://app.example.com/api/auth/confirm?token_hash=abc123&type=${type}`)
    t.match(subject, /^[A-Z][a-z -]+$/)
    t.notMatch(html, '{{')
  }
  const { html } = renderTemplate(templates.invite, values)
  t.equal(
    linksOf(html)[0],
    `${values.RedirectTo}#token_hash=abc123&type=invite`,
    'the redirect target of the invitation'
  )
  const toUser = renderTemplate(templates.magic_link, values)
  t.equal(linksOf(toUser.html)[0], values.RedirectTo, 'an existing user signs in there')
  t.notMatch(toUser.html, /abc123|123456/, 'the mail contains no token')
})

t.test('the first link of each stock mail leads to the identity server', async (t) => {
  for (const template of Object.values(loadTemplates('stock'))) {
    const { html } = renderTemplate(template, values)
    t.equal(linksOf(html)[0], values.ConfirmationURL)
    t.match(html, values.Token)
  }
})

t.test('values are escaped for their place', async (t) => {
  const template =
    '<title>For {{ .Email }}</title><p>{{.Email}}</p><a href="{{ .SiteURL }}/x?next={{ .RedirectTo }}">x</a>'
  const { subject, html } = renderTemplate(template, values)
  t.equal(subject, `For ${values.Email}`)
  t.notMatch(html, '<script')
  t.match(html, '<p>&quot;&gt;&lt;script&gt;')
  t.equal(linksOf(html)[0], 'https://app.example.com/x?next=https%3A%2F%2Fapp.example.com%2Fa%3Fb%3Dc%26d%3De')
})

t.test('a template that uses other variables or actions is named in the error', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-templates-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const load = async (confirmation: string) => {
    await writeFile(join(directory, 'confirmation.html'), confirmation)
    return loadTemplates('tollgate', pathToFileURL(`${directory}/`))
  }
  await t.rejects(load('<title>x</title>{{ if .Data }}'), {
    message: /confirmation: \{\{ if \.Data \}\} is not supported/
  })
  await t.rejects(load('<title>x</title>{{ .Nonsense }}'), { message: /confirmation: \{\{ \.Nonsense \}\}/ })
  await t.rejects(load('<p>x</p>'), { message: /confirmation: it has no <title>/ })
  await t.rejects(load('<title>x</title>'), { message: /recovery\.html/ }, 'a missing template is named')
})
