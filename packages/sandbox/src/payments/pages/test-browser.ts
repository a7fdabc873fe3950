import { unescapeHtml } from '../../mailbox/html.ts'

/** A page, as a browser shows it. */
export interface Page {
  status: number
  url: string
  html: string
  /** The target of a redirect to another server, which is not followed. */
  location: string | null
}

/** Opens a URL as a browser does. Follows redirects within the server. */
export async function open(url: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const html = await response.text()
  const location = response.headers.get('location')
  if (location === null) return { status: response.status, url, html, location: null }
  const next = new URL(location, url)
  if (next.origin !== new URL(url).origin) return { status: response.status, url, html, location }
  return open(next.href)
}

/** Submits the form of a page. Fields without a value in `values` keep the page's value. */
export function submit(page: Page, values: Record<string, string>): Promise<Page> {
  const action = /<form[^>]*\baction="([^"]*)"/.exec(page.html)?.[1] ?? page.url
  const present = [...page.html.matchAll(/<input([^>]*)>/g)].flatMap(([, attributes = '']) => {
    const name = /\bname="([^"]*)"/.exec(attributes)?.[1]
    const isChosen = !attributes.includes('type="radio"') || attributes.includes('checked')
    return name === undefined || !isChosen
      ? []
      : [[name, unescapeHtml(/\bvalue="([^"]*)"/.exec(attributes)?.[1] ?? '')] as const]
  })
  const body = new URLSearchParams({ ...Object.fromEntries(present), ...values })
  return open(new URL(unescapeHtml(action), page.url).href, { method: 'POST', body })
}

/** The URL of the link with this text. */
export function linkTo(page: Page, words: string): string {
  const links = [...page.html.matchAll(/<a\b[^>]*\bhref="([^"]*)"[^>]*>([^<]*)<\/a>/g)]
  const link = links.find(([, , text]) => text === words)
  if (link === undefined) throw new Error(`There is no link "${words}".`)
  return new URL(unescapeHtml(link[1] ?? ''), page.url).href
}
