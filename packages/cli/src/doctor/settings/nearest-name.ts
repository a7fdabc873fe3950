import { editDistance } from '@tollgate/service/config/nearest.ts'

/**
 * Finds the known variable that somebody probably meant: a name with a typing error, or with one word too many or too few.
 *
 * @param isSet whether a known variable has a value; a forgotten word is only assumed for one without
 * @returns null if no name is near enough
 */
export function nearestName(
  unknown: string,
  known: readonly string[],
  isSet: (name: string) => boolean = () => false
): string | null {
  const distances = known
    .map((name) => ({ name, distance: editDistance(unknown, name) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [nearest] = distances
  if (nearest !== undefined && nearest.distance <= Math.max(1, Math.floor(unknown.length / 6))) return nearest.name
  return known.find((name) => !isSet(name) && differByOneWord(unknown, name)) ?? null
}

/** `STRIPE_KEY` and `STRIPE_SECRET_KEY`. The first words must be equal: many programs have an `API_KEY`. */
function differByOneWord(one: string, other: string): boolean {
  const [shorter, longer] = [one.split('_'), other.split('_')].toSorted((a, b) => a.length - b.length)
  if (shorter!.length < 2 || longer!.length !== shorter!.length + 1 || shorter![0] !== longer![0]) return false
  return longer!.some((_word, index) => longer!.toSpliced(index, 1).join('_') === shorter!.join('_'))
}
