import { Type } from 'typebox'
import { noSiteTexts, readSiteTexts, type SiteTexts } from './site-texts.ts'

/** The variables of the public pages. */
export const siteVariables = {
  /** `on`: visitors see what is sold, without signing in. `off`: they see the sign-in page. */
  PUBLIC_SITE: Type.Enum(['on', 'off'], { default: 'on' }),
  /** A folder with the operator's texts of the public pages. Empty: the default texts. See site/site-texts.ts. */
  SITE_TEXTS: Type.String({ default: '' })
}

interface Variables {
  readonly PUBLIC_SITE: 'on' | 'off'
  readonly SITE_TEXTS: string
}

/** The texts of the public pages; null: there are no public pages. Check the variables first. */
export function readSite({ PUBLIC_SITE, SITE_TEXTS }: Variables): SiteTexts | null {
  if (PUBLIC_SITE === 'off') return null
  return SITE_TEXTS === '' ? noSiteTexts : readSiteTexts(SITE_TEXTS)
}

/** @returns what is wrong with the operator's texts, for the operator; null for none or right ones */
export function checkSiteTexts({ SITE_TEXTS }: Variables): string | null {
  if (SITE_TEXTS === '') return null
  try {
    readSiteTexts(SITE_TEXTS)
    return null
  } catch (error) {
    return `SITE_TEXTS: ${(error as Error).message}`
  }
}
