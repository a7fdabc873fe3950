/** Computes a value again only for another argument. */
export function keepLast<Argument, Value>(compute: (argument: Argument) => Value): (argument: Argument) => Value {
  let last: { readonly argument: Argument; readonly value: Value } | null = null
  return (argument) => {
    if (last?.argument !== argument) last = { argument, value: compute(argument) }
    return last.value
  }
}

/** Computes a value when it is first needed. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
