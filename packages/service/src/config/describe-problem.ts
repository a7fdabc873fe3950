/** An error of typebox. */
interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
  readonly params: unknown
}

/** The members of a variable's schema that the words use. */
interface VariableSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly where?: string
  readonly must?: string
}

/**
 * Describes a schema error of the configuration, with its cure.
 *
 * @param texts the variables' texts. They are never repeated, because they may be secrets.
 * @returns the affected variables with their problems
 */
export function describeProblem(
  error: SchemaError,
  properties: Readonly<Record<string, object>>,
  texts: Readonly<Record<string, string>>
): Array<[name: string, problem: string]> {
  const schemaOf = (name: string): VariableSchema => properties[name] ?? {}
  if (error.keyword === 'required') {
    const { requiredProperties } = error.params as { requiredProperties: string[] }
    return requiredProperties.map((name) => {
      const { where } = schemaOf(name)
      return [name, where === undefined ? 'missing' : `missing. ${where}`]
    })
  }
  const name = error.instancePath.split('/')[1] ?? ''
  return [[name, describeValue(error, schemaOf(name), texts[name] ?? '')]]
}

function describeValue({ message, params }: SchemaError, schema: VariableSchema, text: string): string {
  if (schema.must !== undefined) return `must be ${schema.must}`
  const { allowedValues } = (params ?? {}) as { allowedValues?: unknown[] }
  if (allowedValues !== undefined) return `must be one of ${allowedValues.join(', ')}`
  if (schema.type === 'integer' || schema.type === 'number') return describeNumber(schema, text)
  return schema.type === 'boolean' ? 'must be true or false' : message
}

/** The values that a variable may have: `a whole number from 1 to 9`. Null if the schema does not say it in words. */
export function describeAllowed(schema: VariableSchema): string | null {
  if (schema.must !== undefined) return schema.must
  if (schema.enum !== undefined) return schema.enum.join(', ')
  return schema.type === 'integer' || schema.type === 'number' ? allowedNumbers(schema) : null
}

function allowedNumbers({ type, minimum, maximum }: VariableSchema): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number'
  if (minimum === undefined) return kind
  return maximum === undefined ? `${kind} of ${minimum} or more` : `${kind} from ${minimum} to ${maximum}`
}

function describeNumber(schema: VariableSchema, text: string): string {
  const allowed = allowedNumbers(schema)
  if (/^-?\d+,\d+$/.test(text)) {
    const cure = schema.type === 'integer' ? 'write it without a comma' : 'write a decimal point, not a comma'
    return `must be ${allowed}: ${cure}`
  }
  // Kubernetes sets NAME_PORT for each Service.
  const origin = /^tcp:\/\//.test(text) ? '. Kubernetes set it: add "enableServiceLinks: false" to the pod' : ''
  return `must be ${allowed}${origin}`
}
