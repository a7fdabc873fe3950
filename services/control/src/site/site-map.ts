import { escapeText } from './html.ts'
import { modelPath, type SiteFacts } from './site-facts.ts'
import { legalPageNames, type SiteTexts } from './site-texts.ts'

/** The paths of all public pages, the most important first. */
export const publicPaths = ({ models }: SiteFacts, { legal }: SiteTexts, docs: readonly string[]): string[] => [
  '/',
  '/pricing',
  '/models',
  '/providers',
  '/status',
  ...docs,
  ...models.map(({ id }) => modelPath(id)),
  ...legalPageNames.filter((name) => legal[name] !== undefined).map((name) => `/${name}`)
]

/** `/sitemap.xml`: see sitemaps.org. */
export function writeSitemap(paths: readonly string[], publicUrl: string): string {
  const urls = paths.map((path) => `<url><loc>${escapeText(publicUrl + path)}</loc></url>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`
}

/** `/robots.txt`: search engines may read the public pages, and the docs of the API. */
export const writeRobots = (publicUrl: string): string => `User-agent: *
Allow: /api/docs/
Disallow: /api/
Disallow: /dashboard
Disallow: /invitations/

Sitemap: ${publicUrl}/sitemap.xml
`

/** The public pages in `/llms.txt`: title, path and what they say. */
export const llmsPages = [
  { title: 'Models and prices', path: '/models', summary: 'Every model with its context and prices.' },
  { title: 'Pricing', path: '/pricing', summary: 'The plans, their limits, and what happens at the cap.' },
  { title: 'Providers', path: '/providers', summary: 'Who gets requests, and what becomes of prompts there.' },
  { title: 'Status', path: '/status', summary: 'Success and speed of each model, and announcements.' }
] as const
