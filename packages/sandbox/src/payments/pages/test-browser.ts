import { unescapeHtml } from '../../mailbox/html.ts'

/** What a person sees and where they are. */
export interface Page {
  status: number
  url: string
  html: string
  /** Where a redirect leads that was not followed, since it leaves the server. */
  location: string | null
}

/** Opens an address as a browser does, following redirects within its server. */
export async function open(url: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const html = await response.text()
  const location = response.headers.get('location')
  if (location === null) return { status: response.status, url, html, location: null }
  const next = new URL(location, url)
  if (next.origin !== new URL(url).origin) return { status: response.status, url, html, location }
  return open(next.href)
}

/** Fills in the form of a page and sends it: what the page has in its fields goes along. */
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

/** The address of the link with these words. */
export function linkTo(page: Page, words: string): string {
  const links = [...page.html.matchAll(/<a\b[^>]*\bhref="([^"]*)"[^>]*>([^<]*)<\/a>/g)]
  const link = links.find(([, , text]) => text === words)
  if (link === undefined) throw new Error(`There is no link "${words}".`)
  return new URL(unescapeHtml(link[1] ?? ''), page.url).href
}
