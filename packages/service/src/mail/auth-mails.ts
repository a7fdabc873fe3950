import { type Brand, textOn } from '../brand/brand.ts'
import { escapeHtml } from '../text.ts'

/** The mails of Supabase Auth that Tollgate has templates for, as Supabase names them. */
export const authMailKinds = ['confirmation', 'recovery', 'invite', 'magic_link'] as const

/**
 * Names the inviter, whom control writes to the user's metadata. Users can write it, too, so it must be of this very
 * link. A link has a secret that nobody can guess.
 */
const invited = (at: string): string =>
  `{{ if eq .Data.invitation_link .RedirectTo }}{{ .Data.invited_by }} invited you to their team at ${at}.{{ else }}You have been invited to a team at ${at}.{{ end }}`

/** @param at the name of the service, as HTML */
const wordsOf: Readonly<Record<AuthMailKind, (at: string) => Words>> = {
  confirmation: (at) => ({
    title: 'Confirm your e-mail address',
    text: `Someone registered {{ .Email }} at ${at}. If this was you, confirm your address with the button below. In the browser where you registered, the link signs you in. Elsewhere it asks for your password.`,
    button: {
      text: 'Confirm address',
      url: '{{ .SiteURL }}/api/auth/confirm?token_hash={{ .TokenHash }}&amp;type=email'
    },
    why: 'The link works once. If you did not register, ignore this e-mail. Without your confirmation, nobody can use the account.'
  }),
  recovery: (at) => ({
    title: 'Choose a new password',
    text: `Someone requested a new password for {{ .Email }} at ${at}. If this was you, choose one with the button below.`,
    button: {
      text: 'Choose a new password',
      url: '{{ .SiteURL }}/api/auth/confirm?token_hash={{ .TokenHash }}&amp;type=recovery'
    },
    why: 'The link works once. If you did not request it, ignore this e-mail. Your password stays the same.'
  }),
  invite: (at) => ({
    title: 'You have been invited to a team',
    text: `${invited(at)} Your e-mail address there is {{ .Email }}.`,
    button: { text: 'Accept the invitation', url: '{{ .RedirectTo }}#token_hash={{ .TokenHash }}&amp;type=invite' },
    why: 'The link works once. If you did not expect this invitation, ignore this e-mail.'
  }),
  magic_link: (at) => ({
    title: 'You have been invited to a team',
    text: `${invited(at)} Your account there is {{ .Email }}.`,
    button: { text: 'Open the invitation', url: '{{ .RedirectTo }}' },
    why: 'Sign in to see the invitation. You join only if you accept it there. If you did not expect this invitation, ignore this e-mail.'
  })
}

/** The parts of a mail. All are HTML already. */
export interface FrameParts {
  readonly subject: string
  /** One short sentence, in large letters. */
  readonly title: string
  /** Paragraphs and other blocks, see {@link paragraph}. */
  readonly content: string
  /** The address is the value of an attribute in double quotes. */
  readonly button: { readonly text: string; readonly url: string }
  /** Why the reader gets this mail, in small letters. */
  readonly why: string
  /** Links below it, see {@link brandLinks}. Names and addresses are plain text. */
  readonly links: ReadonlyArray<readonly [name: string, url: string]>
}

/**
 * Escapes plain text for HTML elements and quoted attributes. Braces are escaped, too: Supabase Auth reads templates of
 * mails as Go templates, where `{{` begins an action.
 */
export const plain = (text: string): string => escapeHtml(text).replaceAll('{', '&#123;')

const font = `-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`

/** Mail programs that know it follow the theme; the others use the attributes. */
const themes = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:#0f1115!important}
.card{background:#191c22!important;border-color:#2c313a!important}
.text{color:#e8eaed!important}
.soft{color:#a3a9b3!important}
.line{border-color:#2c313a!important}
}
@media (max-width:620px){.card{border-radius:0!important;border-width:0!important}.pad{padding:24px 20px!important}}`

/** @param html the words */
export const paragraph = (html: string): string =>
  `<p class="text" style="margin:0 0 16px;color:#1f2328;font-size:16px;line-height:1.5">${html}</p>`

/** The addresses of the brand, with their names. */
export function brandLinks({ supportUrl, legalUrl }: Brand): Array<[name: string, url: string]> {
  return [
    ...(supportUrl === null ? [] : [['Help', supportUrl] satisfies [string, string]]),
    ...(legalUrl === null ? [] : [['Legal notice', legalUrl] satisfies [string, string]])
  ]
}

/**
 * Renders a mail's HTML in the look of a brand. It has one column of tables and styles in attributes, because mail
 * programs know little more. Its colors follow the reader's light or dark theme where the program says which.
 */
export function renderFrame(brand: Brand, { subject, title, content, button, why, links }: FrameParts): string {
  const footer = links.map(
    ([name, url]) =>
      `<a class="soft" href="${plain(url)}" style="color:#59636e;text-decoration:underline">${plain(name)}</a>`
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${themes}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7;font-family:${font}">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f5f7"><tr><td align="center" style="padding:24px 0">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="width:100%;max-width:600px">
<tr><td class="pad" style="padding:8px 32px 16px">${renderBrand(brand)}</td></tr>
<tr><td class="card pad" style="padding:32px;background:#ffffff;border:1px solid #e1e4e8;border-radius:12px">
<h1 class="text" style="margin:0 0 20px;color:#1f2328;font-size:22px;line-height:1.3;font-weight:600">${title}</h1>
${content}<table role="presentation" cellpadding="0" cellspacing="0" style="margin:24px 0 0"><tr>
<td style="border-radius:8px;background:${brand.color}"><a href="${button.url}" style="display:inline-block;padding:12px 22px;border-radius:8px;background:${brand.color};color:${textOn(brand.color)};font-size:16px;font-weight:600;text-decoration:none">${button.text}</a></td>
</tr></table>
</td></tr>
<tr><td class="soft pad" style="padding:20px 32px;color:#59636e;font-size:13px;line-height:1.6">${why}${
    footer.length === 0 ? '' : `<br>${footer.join(' &middot; ')}`
  }</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
}

const renderBrand = ({ name, logoUrl }: Brand): string =>
  logoUrl === null
    ? `<span class="text" style="color:#1f2328;font-size:18px;font-weight:600">${plain(name)}</span>`
    : `<img src="${plain(logoUrl)}" alt="${plain(name)}" height="32" style="display:block;height:32px;border:0;color:#59636e;font-size:18px">`

export type AuthMailKind = (typeof authMailKinds)[number]

/** A template of Supabase Auth. */
export interface AuthMail {
  /** The same as the `<title>` of the HTML. */
  readonly subject: string
  /** With Go actions such as `{{ .TokenHash }}`, which Supabase Auth fills in and escapes. */
  readonly html: string
}

interface Words {
  /** Without values: operators type it into Supabase as the subject. */
  readonly title: string
  readonly text: string
  readonly button: { readonly text: string; readonly url: string }
  readonly why: string
}

/** Writes the template of a mail in the look of a brand. The same brand gives the same text. */
export function renderAuthMail(kind: AuthMailKind, brand: Brand): AuthMail {
  const { title, text, button, why } = wordsOf[kind](plain(brand.name))
  const parts = { subject: title, title, content: paragraph(text), button, why, links: brandLinks(brand) }
  return { subject: title, html: renderFrame(brand, parts) }
}
