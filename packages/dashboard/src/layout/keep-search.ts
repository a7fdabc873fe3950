/** Reads the search parameters of these names, and drops all others and empty ones. */
export const keepSearch =
  <Name extends string>(...names: readonly Name[]) =>
  (search: Record<string, unknown>): { [Key in Name]?: string } => {
    const values: { [Key in Name]?: string } = {}
    for (const name of names) {
      const value = search[name]
      if (typeof value === 'string' && value !== '') values[name] = value
    }
    return values
  }
