import type { DocsFacts } from '@tollgate/contracts/docs/docs-facts.ts'
import type { Brand } from '@tollgate/service/brand/brand.ts'
import { escapeHtml } from '@tollgate/service/text.ts'
import type { CaptchaSettings } from '../auth/sign-in-settings.ts'
import { type EncodedPage, encodePage } from '../http/encoded-page.ts'

/** What control writes into the page. */
export interface PageFacts {
  /** The installation. The page calls its gateway. */
  readonly docs: Pick<DocsFacts, 'name' | 'id' | 'publicUrl' | 'gatewayUrl'>
  /** The page reads it before its first paint, so nobody sees another name or color. */
  readonly brand: Brand
  /** The address of a picture of the brand, for pages without scripts. */
  readonly picture: string
  readonly signIn: {
    /** Sign-in providers, by their name at Supabase Auth and the name that people know. */
    readonly providers: ReadonlyArray<{ readonly id: string; readonly name: string }>
    readonly minPasswordLength: number
    /** Who may register. */
    readonly signup: 'open' | 'approved' | 'invited'
    /** What forms show; null: nothing. */
    readonly captcha: CaptchaSettings | null
    /** The pages that somebody accepts by registering, which the operator has. */
    readonly legalPages: readonly ('terms' | 'privacy')[]
    /** Where a trial shows all mails; null: people have their own mailbox. */
    readonly demoMailboxUrl: string | null
  }
  readonly requestLogDays: number
}

/** The part of a page that only signed-in people see. The build marks it. */
const firstView = /<!--first-view-->.*?<!--\/first-view-->/s

/** A page for strangers: without the frame of the signed-in pages. */
export const withoutFirstView = (html: string): string => html.replace(firstView, '')

/**
 * Makes the page.
 *
 * @param html the `index.html` of the build
 * @param hasSession whether the browser presents a session
 */
export function makeIndexPage(html: string, facts: PageFacts, hasSession: boolean): EncodedPage {
  const { docs, brand, picture, signIn, requestLogDays } = facts
  const values: Record<string, string> = {
    gatewayUrl: docs.gatewayUrl,
    publicUrl: docs.publicUrl,
    brandName: docs.name,
    brandId: docs.id,
    brand: JSON.stringify(brand),
    picture,
    session: hasSession ? 'presented' : 'none',
    signIn: JSON.stringify(signIn),
    captcha: JSON.stringify(signIn.captcha),
    requestLogDays: String(requestLogDays)
  }
  const text = html.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''))
  return encodePage(text, 'long')
}
