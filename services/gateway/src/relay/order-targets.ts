import type { Target } from '@tollgate/contracts/catalog/catalog.ts'

/**
 * Orders the targets of a route by priority. Targets of the same priority are ordered at random, by weight.
 *
 * @param random draws from [0, 1)
 */
export function orderTargets(route: readonly Target[], random: () => number = Math.random): readonly Target[] {
  if (route.length === 1) return route
  const left = [...route]
  const order: Target[] = []
  while (left.length > 0) {
    const priority = Math.min(...left.map((target) => target.priority))
    const first = left.filter((target) => target.priority === priority)
    const drawn = draw(first, random)
    order.push(drawn)
    left.splice(left.indexOf(drawn), 1)
  }
  return order
}

function draw(targets: readonly Target[], random: () => number): Target {
  let rest = random() * targets.reduce((sum, { weight }) => sum + weight, 0)
  for (const target of targets) {
    rest -= target.weight
    if (rest < 0) return target
  }
  return targets.at(-1)!
}
