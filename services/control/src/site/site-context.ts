import type { Brand } from '@tollgate/service/brand/brand.ts'
import type { SiteTerms } from './default-texts.ts'
import type { Html } from './html.ts'
import type { SiteAssets } from './site-assets.ts'
import type { SiteTexts } from './site-texts.ts'

/** What all public pages of an installation have in common. */
export interface SiteContext {
  readonly brand: Brand
  /** Origins of control and of the gateway. */
  readonly publicUrl: string
  readonly gatewayUrl: string
  readonly terms: SiteTerms
  readonly texts: SiteTexts
  readonly assets: SiteAssets
  /** Whether there are pages besides the docs. */
  readonly isPublic: boolean
}

/** Who looks at a page. Only the ways in and on differ. */
export interface Visitor {
  readonly hasSession: boolean
}

/** A public page without its frame. */
export interface Page {
  /** Its address below the public URL, without a query. */
  readonly path: string
  /** Whether it stands for every address without a page. Search engines leave it out. */
  readonly isMissing?: true
  readonly title: string
  /** One or two sentences for search engines and previews. */
  readonly description: string
  readonly body: Html
  /** Whether an element of the body, `#content`, is what “Skip to content” leads to. By default it is the whole body. */
  readonly hasOwnContent?: boolean
  /** Structured data: objects of schema.org. */
  readonly data?: readonly Readonly<Record<string, unknown>>[]
}
