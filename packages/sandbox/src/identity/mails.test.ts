import assert from 'node:assert/strict'
import { builtInBrand } from '@tollgate/service/brand/brand.ts'
import { test } from 'tap'
import { linksOf } from '../mailbox/html.ts'
import { chooseTemplates, renderTemplate, type TemplateValues } from './mails.ts'

const values: TemplateValues = {
  SiteURL: 'https://app.example.com',
  ConfirmationURL: 'https://id.example.com/auth/v1/verify?token=abc&type=signup&redirect_to=x',
  Email: '"><script>alert(1)</script>@example.com',
  NewEmail: 'new@example.com',
  Token: '123456',
  TokenHash: 'abc123',
  RedirectTo: 'https://app.example.com/a?b=c&d=e',
  SendingTo: 'new@example.com',
  Data: { invited_by: 'Olive <b>', invitation_link: 'https://app.example.com/a?b=c&d=e', number: 7 }
}

test('the first link of each Tollgate mail leads to Tollgate, with the type that verifyOtp takes', async () => {
  const templates = chooseTemplates('tollgate', builtInBrand)
  for (const [kind, type] of [
    ['confirmation', 'email'],
    ['recovery', 'recovery']
  ] as const) {
    const { subject, html } = renderTemplate(templates[kind], values)
    assert.equal(linksOf(html)[0], `https://app.example.com/api/auth/confirm?token_hash=abc123&type=${type}`)
    assert.match(subject, /^[A-Z][a-z -]+$/)
    assert.doesNotMatch(html, /\{\{/)
  }
  const { html } = renderTemplate(templates.invite, values)
  assert.equal(
    linksOf(html)[0],
    `${values.RedirectTo}#token_hash=abc123&type=invite`,
    'the redirect target of the invitation'
  )
  const toUser = renderTemplate(templates.magic_link, values)
  assert.equal(linksOf(toUser.html)[0], values.RedirectTo, 'an existing user signs in there')
  assert.doesNotMatch(toUser.html, /abc123|123456/, 'the mail contains no token')
})

test('the first link of each stock mail leads to the identity server', async () => {
  for (const template of Object.values(chooseTemplates('stock', builtInBrand))) {
    const { html } = renderTemplate(template, values)
    assert.equal(linksOf(html)[0], values.ConfirmationURL)
    assert.ok(html.includes(values.Token))
  }
})

test('values are escaped for their place', async () => {
  const template =
    '<title>For {{ .Email }}</title><p>{{.Email}}</p><a href="{{ .SiteURL }}/x?next={{ .RedirectTo }}">x</a>'
  const { subject, html } = renderTemplate(template, values)
  assert.equal(subject, `For ${values.Email}`)
  assert.doesNotMatch(html, /<script/)
  assert.match(html, /<p>&quot;&gt;&lt;script&gt;/)
  assert.equal(linksOf(html)[0], 'https://app.example.com/x?next=https%3A%2F%2Fapp.example.com%2Fa%3Fb%3Dc%26d%3De')
})

test('a condition chooses a part of the template, and metadata is escaped, too', async () => {
  const render = (template: string, data: TemplateValues['Data'] = values.Data) =>
    renderTemplate(template, { ...values, Data: data }).html
  const choice = '{{ if eq .Data.invitation_link .RedirectTo }}by {{ .Data.invited_by }}{{ else }}by nobody{{ end }}.'
  assert.equal(render(choice), 'by Olive &lt;b&gt;.')
  assert.equal(render(choice, {}), 'by nobody.')
  assert.equal(render(choice, { invitation_link: 7 }), 'by nobody.')
  const injected = { ...values.Data, invited_by: '{{ .Token }}{{ end }}' }
  assert.equal(render(choice, injected), 'by {{ .Token }}{{ end }}.', 'a value is no template')
  assert.equal(
    render('{{ if eq .Email .SiteURL }}a{{ end }}{{ .Data.missing }}{{ .Data.toString }}|{{ .Data.number }}'),
    '|7'
  )
})

test('an action that is not supported is named in the error', async () => {
  for (const action of ['{{ if .Data }}', '{{ .Nonsense }}', '{{ .Email.x }}', '{{ .toString }}', '{{ printf "x" }}']) {
    assert.throws(() => renderTemplate(`<title>x</title>${action}`, values), {
      message: `${action} is not supported in mail templates here.`
    })
  }
})
