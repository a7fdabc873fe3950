import { escapeHtml, linksOf } from './html.ts'
import type { StoredMail } from './mail-store.ts'

const style = `
  :root { color-scheme: light dark; --line: light-dark(#d8d8de, #3a3a42); --quiet: light-dark(#5c5c66, #a2a2ae) }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
  h1 { font-size: 1.4rem; margin: 0 0 1rem }
  ul { list-style: none; margin: 0; padding: 0 }
  li { border-top: 1px solid var(--line); padding: .75rem 0 }
  .unread { font-weight: 600 }
  .quiet, dt, time { color: var(--quiet); font-size: .9rem }
  p { margin: .25rem 0; overflow-wrap: anywhere }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 1rem }
  dd { margin: 0; overflow-wrap: anywhere }
  iframe { width: 100%; height: 28rem; border: 1px solid var(--line); border-radius: .5rem; background: #fff }
`

/** Renders the list of mails, newest first. */
export function renderMailList(mails: readonly StoredMail[]): string {
  const items = mails.map(
    (mail) => `<li>
      <p class="${mail.isRead ? '' : 'unread'}"><a href="/mail/${mail.id}">${escapeHtml(mail.subject)}</a></p>
      <p class="quiet">to ${escapeHtml(addressesOf(mail))}, ${timeOf(mail)}</p>
      <p class="quiet">${escapeHtml(mail.text.slice(0, 160))}</p>
    </li>`
  )
  const content =
    items.length === 0
      ? '<p class="quiet">No mail yet. Mails of the local identity server and of control will appear here.</p>'
      : `<ul>${items.join('\n')}</ul>`
  return page('Mailbox', `<h1>Mailbox</h1><p><a href="/">Reload</a></p>${content}`)
}

/** Renders one mail: its links, and its HTML in a frame without scripts. */
export function renderMail(mail: StoredMail): string {
  const links = linksOf(mail.html).map(
    (link) => `<p><a href="${escapeHtml(link)}" rel="noreferrer">${escapeHtml(link)}</a></p>`
  )
  // Links in the mail open in a new tab, not in the frame.
  const framed = escapeHtml(`<base target="_blank">${mail.html}`)
  return page(
    mail.subject,
    `<p><a href="/">All mails</a></p>
    <h1>${escapeHtml(mail.subject)}</h1>
    <dl>
      <dt>From</dt><dd>${escapeHtml(`${mail.from.Name} <${mail.from.Address}>`)}</dd>
      <dt>To</dt><dd>${escapeHtml(addressesOf(mail))}</dd>
      <dt>Date</dt><dd>${timeOf(mail)}</dd>
      <dt>Links</dt><dd>${links.join('') || 'none'}</dd>
    </dl>
    <iframe title="The mail" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${framed}"></iframe>`
  )
}

export function renderNotFound(): string {
  return page('Not found', '<h1>Page not found</h1><p><a href="/">All mails</a></p>')
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escapeHtml(title)}</title>
  <style>${style}</style>
</head>
<body>
  <main>${content}</main>
</body>
</html>
`
}

function addressesOf({ to }: StoredMail): string {
  return to.map(({ Address }) => Address).join(', ')
}

function timeOf({ created }: StoredMail): string {
  return `<time datetime="${created}">${created.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`
}
