/** Returns the items in random order (Fisher–Yates). `random` returns numbers from 0 to below 1. */
export function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const shuffled: Item[] = []
  for (const [index, item] of items.entries()) {
    const place = Math.floor(random() * (index + 1))
    const moved = shuffled[place]
    if (moved !== undefined) shuffled[index] = moved
    shuffled[place] = item
  }
  return shuffled
}
