import type { Brand } from '@tollgate/service/brand/brand.ts'
import { brandLinks, paragraph, plain, renderFrame } from '@tollgate/service/mail/auth-mails.ts'

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
  /** Whether the reader may want to ask the operator. If the brand has a support address, the mail says it. */
  readonly namesSupport?: boolean
  readonly button: { readonly text: string; readonly url: string }
}

export interface MailFrame {
  readonly brand: Brand
  /** Why the reader gets this mail. */
  readonly why: string
  /** A page that switches this kind of mail off; null for one that cannot be switched off. */
  readonly unsubscribeUrl: string | null
}

/** Renders a mail as plain text and as HTML. */
export function renderMail(content: MailText, frame: MailFrame): { subject: string; text: string; html: string } {
  const { supportUrl } = frame.brand
  const paragraphs =
    content.namesSupport !== true || supportUrl === null
      ? content.paragraphs
      : [...content.paragraphs, `Contact us: ${supportUrl.replace(/^mailto:/, '')}`]
  const text = { ...content, paragraphs }
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

const footerLinks = ({ brand, unsubscribeUrl }: MailFrame): Array<[name: string, url: string]> => [
  ...brandLinks(brand),
  ...(unsubscribeUrl === null ? [] : [['Stop these mails', unsubscribeUrl] satisfies [string, string]])
]

function renderHtml(text: MailText, frame: MailFrame): string {
  const { subject, title, facts = [], paragraphs, items = [], button } = text
  return renderFrame(frame.brand, {
    subject: plain(subject),
    title: plain(title),
    content: `${facts.length === 0 ? '' : renderFacts(facts)}${paragraphs.map((words) => paragraph(plain(words))).join('\n')}
${items.length === 0 ? '' : renderItems(items)}`,
    button: { text: plain(button.text), url: plain(button.url) },
    why: plain(frame.why),
    links: footerLinks(frame)
  })
}

const renderFacts = (facts: NonNullable<MailText['facts']>): string =>
  `<table role="presentation" class="line" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 20px;border-top:1px solid #e1e4e8">${facts
    .map(
      ([name, value]) =>
        `<tr><td class="soft line" style="padding:10px 0;border-bottom:1px solid #e1e4e8;color:#59636e;font-size:15px">${plain(name)}</td><td class="text line" align="right" style="padding:10px 0;border-bottom:1px solid #e1e4e8;color:#1f2328;font-size:15px;font-weight:600">${plain(value)}</td></tr>`
    )
    .join('')}</table>\n`

const renderItems = (items: readonly string[]): string =>
  `<ul class="text" style="margin:0 0 16px;padding-left:20px;color:#1f2328;font-size:16px;line-height:1.6">${items
    .map((item) => `<li>${plain(item)}</li>`)
    .join('')}</ul>\n`
