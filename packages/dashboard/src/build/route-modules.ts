import { type ESTree, parseSync, Visitor } from 'vite'

/** A route as `router.tsx` declares it. */
interface Declared {
  readonly parent: string | null
  readonly path: string
  /** The modules that its component imports, as written. */
  readonly imports: readonly string[]
}

/**
 * Reads from the source of the router which modules each address loads: those of its route and of the routes around it.
 * The router declares each route as `const keys = createRoute({ getParentRoute: () => dashboard, path: '/keys',
 * component })`.
 *
 * @param source the text of `router.tsx`
 * @returns by address, such as `/dashboard/requests/:id`, in the form that Fastify takes
 * @throws Error for a route of another form
 */
export function readRouteModules(source: string): ReadonlyMap<string, readonly string[]> {
  const { program, errors } = parseSync('router.tsx', source)
  if (errors[0] !== undefined) throw new Error(`router.tsx: ${errors[0].message}`)
  const routes = new Map<string, Declared>()
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type !== 'Identifier' || init?.type !== 'CallExpression' || init.callee.type !== 'Identifier') return
      if (init.callee.name === 'createRoute') routes.set(id.name, readRoute(id.name, init))
    }
  }).visit(program)
  return new Map(
    [...routes.values()].map((route) => {
      const [address, modules] = addressOf(route, routes)
      return [address === '' ? '/' : address, modules]
    })
  )
}

function readRoute(name: string, call: ESTree.CallExpression): Declared {
  const [options] = call.arguments
  if (options?.type !== 'ObjectExpression') throw new Error(`router.tsx: ${name} has no options`)
  const properties = new Map<string, ESTree.Expression>()
  for (const property of options.properties) {
    if (property.type === 'Property' && property.key.type === 'Identifier') {
      properties.set(property.key.name, property.value)
    }
  }
  const path = properties.get('path')
  if (path?.type !== 'Literal' || typeof path.value !== 'string') throw new Error(`router.tsx: ${name} has no path`)
  return {
    parent: parentIn(properties.get('getParentRoute')),
    path: path.value,
    imports: importsIn(properties.get('component'))
  }
}

/** The name of the route that `() => name` returns; null for the root. */
function parentIn(expression: ESTree.Expression | undefined): string | null {
  const result = expression?.type === 'ArrowFunctionExpression' ? expression.body : undefined
  return result?.type === 'Identifier' && result.name !== 'rootRoute' ? result.name : null
}

/** The modules of `lazyPage(() => import('./page.tsx'), 'Page')`. */
function importsIn(expression: ESTree.Expression | undefined): string[] {
  if (expression?.type !== 'CallExpression') return []
  const [load] = expression.arguments
  const result = load?.type === 'ArrowFunctionExpression' ? load.body : undefined
  const source = result?.type === 'ImportExpression' ? result.source : undefined
  return source?.type === 'Literal' && typeof source.value === 'string' ? [source.value] : []
}

/** The whole address of a route, and all its modules, the outermost first. */
function addressOf(route: Declared, routes: ReadonlyMap<string, Declared>): [address: string, modules: string[]] {
  const parent = route.parent === null ? undefined : routes.get(route.parent)
  const [above, around] = parent === undefined ? ['', []] : addressOf(parent, routes)
  const path = route.path === '/' ? '' : route.path.replaceAll('$', ':')
  return [above + path, [...around, ...route.imports]]
}
