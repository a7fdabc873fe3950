import { type Brand, textOn } from '../brand/brand.ts'
import { escapeHtml } from '../http/escape-html.ts'

/** The words of a mail. */
export interface MailText {
  readonly subject: string
  /** One short sentence, in large letters. */
  readonly title: string
  /** Facts, such as `Spent this month` and `$80.00`. */
  readonly facts?: ReadonlyArray<readonly [name: string, value: string]>
  readonly paragraphs: readonly string[]
  /** Things in a list, such as keys. */
  readonly items?: readonly string[]
  readonly button: { readonly text: string; readonly url: string }
}

export interface MailFrame {
  readonly brand: Brand
  /** Why the reader gets this mail. */
  readonly why: string
  /** A page that switches this kind of mail off; null for one that cannot be switched off. */
  readonly unsubscribeUrl: string | null
}

/**
 * Renders a mail as plain text and as HTML. The HTML has one column of tables and styles in attributes, because mail programs
 * know little more. Its colors follow the reader's light or dark theme where the program says which.
 */
export function renderMail(text: MailText, frame: MailFrame): { subject: string; text: string; html: string } {
  return { subject: text.subject, text: renderText(text, frame), html: renderHtml(text, frame) }
}

function renderText({ title, facts = [], paragraphs, items = [], button }: MailText, frame: MailFrame): string {
  const parts = [
    title,
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    ...paragraphs,
    items.map((item) => `- ${item}`).join('\n'),
    `${button.text}: ${button.url}`,
    `-- \n${[frame.brand.name, frame.why, ...footerLinks(frame).map(([name, url]) => `${name}: ${url}`)].join('\n')}`
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function footerLinks({ brand, unsubscribeUrl }: MailFrame): Array<[name: string, url: string]> {
  return [
    ...(brand.supportUrl === null ? [] : [['Help', brand.supportUrl] satisfies [string, string]]),
    ...(brand.legalUrl === null ? [] : [['Legal notice', brand.legalUrl] satisfies [string, string]]),
    ...(unsubscribeUrl === null ? [] : [['Stop these mails', unsubscribeUrl] satisfies [string, string]])
  ]
}

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

function renderHtml(text: MailText, frame: MailFrame): string {
  const { brand, why } = frame
  const { subject, title, facts = [], paragraphs, items = [], button } = text
  const paragraph = (words: string) =>
    `<p class="text" style="margin:0 0 16px;color:#1f2328;font-size:16px;line-height:1.5">${escapeHtml(words)}</p>`
  const links = footerLinks(frame).map(
    ([name, url]) =>
      `<a class="soft" href="${escapeHtml(url)}" style="color:#59636e;text-decoration:underline">${escapeHtml(name)}</a>`
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${themes}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7;font-family:${font}">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f5f7"><tr><td align="center" style="padding:24px 0">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="width:100%;max-width:600px">
<tr><td class="pad" style="padding:8px 32px 16px">${renderBrand(brand)}</td></tr>
<tr><td class="card pad" style="padding:32px;background:#ffffff;border:1px solid #e1e4e8;border-radius:12px">
<h1 class="text" style="margin:0 0 20px;color:#1f2328;font-size:22px;line-height:1.3;font-weight:600">${escapeHtml(title)}</h1>
${facts.length === 0 ? '' : renderFacts(facts)}${paragraphs.map(paragraph).join('\n')}
${items.length === 0 ? '' : renderItems(items)}<table role="presentation" cellpadding="0" cellspacing="0" style="margin:24px 0 0"><tr>
<td style="border-radius:8px;background:${brand.color}"><a href="${escapeHtml(button.url)}" style="display:inline-block;padding:12px 22px;border-radius:8px;background:${brand.color};color:${textOn(brand.color)};font-size:16px;font-weight:600;text-decoration:none">${escapeHtml(button.text)}</a></td>
</tr></table>
</td></tr>
<tr><td class="soft pad" style="padding:20px 32px;color:#59636e;font-size:13px;line-height:1.6">${escapeHtml(why)}${
    links.length === 0 ? '' : `<br>${links.join(' &middot; ')}`
  }</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
}

const renderBrand = ({ name, logoUrl }: Brand): string =>
  logoUrl === null
    ? `<span class="text" style="color:#1f2328;font-size:18px;font-weight:600">${escapeHtml(name)}</span>`
    : `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="32" style="display:block;height:32px;border:0;color:#59636e;font-size:18px">`

const renderFacts = (facts: NonNullable<MailText['facts']>): string =>
  `<table role="presentation" class="line" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 20px;border-top:1px solid #e1e4e8">${facts
    .map(
      ([name, value]) =>
        `<tr><td class="soft line" style="padding:10px 0;border-bottom:1px solid #e1e4e8;color:#59636e;font-size:15px">${escapeHtml(name)}</td><td class="text line" align="right" style="padding:10px 0;border-bottom:1px solid #e1e4e8;color:#1f2328;font-size:15px;font-weight:600">${escapeHtml(value)}</td></tr>`
    )
    .join('')}</table>\n`

const renderItems = (items: readonly string[]): string =>
  `<ul class="text" style="margin:0 0 16px;padding-left:20px;color:#1f2328;font-size:16px;line-height:1.6">${items
    .map((item) => `<li>${escapeHtml(item)}</li>`)
    .join('')}</ul>\n`
