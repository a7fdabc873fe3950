import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { earlyReads } from '../api/early-reads.ts'
import { docsAddress, docsPages, textAddress } from '../docs/list-pages.ts'
import { methodsAndPaths } from '../generated/operations.ts'
import { readRouteModules } from './route-modules.ts'
import type { PageNeeds } from './write-pages.ts'

/**
 * What each page of the dashboard loads at once, by its address in the form that Fastify takes.
 *
 * @param sourceDir the absolute path of `src`
 */
export function readPageNeeds(sourceDir: string): ReadonlyMap<string, PageNeeds> {
  const routes = readRouteModules(readFileSync(join(sourceDir, 'router.tsx'), 'utf8'))
  return new Map(
    [...routes].flatMap(([route, modules]) =>
      addressesOf(route).map((address) => [
        address,
        { modules: modules.map((module) => join(sourceDir, module)), reads: readsOf(address) }
      ])
    )
  )
}

/** The addresses of a route that have HTML of their own: each page of the docs has its text in it. */
const addressesOf = (route: string): string[] =>
  route === '/dashboard/docs/:page' ? docsPages.map(([page]) => docsAddress(page)) : [route]

/** What the code of a page reads first with keys of its own, so that `earlyReads` cannot have it. */
const ownReads: Readonly<Record<string, readonly string[]>> = {
  '/dashboard/webhooks': ['/api/webhooks'],
  '/dashboard/docs': [textAddress('quickstart')],
  ...Object.fromEntries(docsPages.map(([page]) => [docsAddress(page), [textAddress(page)]]))
}

/** The addresses of the API that a page reads first. */
export function readsOf(address: string): string[] {
  const early = earlyReads
    .filter(({ page }) => page.test(address))
    .map(({ operation, query = {} }) => {
      const search = new URLSearchParams(query).toString()
      return methodsAndPaths[operation][1] + (search === '' ? '' : `?${search}`)
    })
  return [...early, ...(ownReads[address] ?? [])]
}
