import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Static, TObject } from 'typebox'
import { JsonReader } from '../body/json-reader.ts'
import { type Shape, shapeOf } from '../body/shape.ts'
import { MediaReader } from '../tokens/media/media-reader.ts'
import type { BoundedBody } from '../tokens/prompt-bound.ts'

/** A request body in both of its forms: what the client sent, and what was understood of it. */
export type RequestBody<Members> = BoundedBody & {
  /** The short values of the request's own members; longer ones are there as an empty object. */
  members: Members
}

/** A schema of requests, ready for use. */
export type UnderstoodMembers<Schema extends TObject> = { readonly schema: Schema; readonly shape: Shape }

/** Prepares the reading of requests. */
export const understand = <Schema extends TObject>(schema: Schema): UnderstoodMembers<Schema> => ({
  schema,
  shape: shapeOf(schema)
})

/** Up to so many bytes a body is read at once: half a millisecond, or some if the code has just begun to run. */
const readAtOnce = 64 * 1024
/** Of a longer body, what is read in a step. */
const sliceLength = 16 * 1024

/** Reads what the gateway must understand of a body. The rest is not looked at, and is forwarded as it is. */
export class BodyReading<Schema extends TObject> {
  readonly isShort: boolean
  readonly #bytes: Buffer
  readonly #json: JsonReader
  #media: MediaReader | null = null

  /**
   * @param understood the members that are read, from {@link understand}
   * @throws ServiceError invalid_json
   */
  constructor(bytes: Buffer, understood: UnderstoodMembers<Schema>) {
    if (bytes.length === 0) throw new ServiceError('invalid_json', { message: 'The request has no body.' })
    this.isShort = bytes.length <= readAtOnce
    this.#bytes = bytes
    this.#json = new JsonReader(bytes, understood.shape)
  }

  /**
   * Reads on for a millisecond at most.
   *
   * @returns whether all has been read
   * @throws ServiceError invalid_json, invalid_request or unpriced_parameter, naming the member
   */
  step(): boolean {
    if (this.#media === null) {
      if (!this.#json.read(this.isShort ? readAtOnce : sliceLength)) return false
      this.#media = new MediaReader(this.#bytes, this.#json.notes)
    }
    return this.#media.step()
  }

  /** What was read, once all was. */
  get body(): RequestBody<Static<Schema>> {
    const { members, spans, messages, parts, inputs, listedNumbers, listedNumberBytes } = this.#json
    const { media } = this.#media!
    const counts = { messages, parts, inputs, listedNumbers, listedNumberBytes }
    return { bytes: this.#bytes, members: members as Static<Schema>, spans, media, ...counts }
  }
}

/** Reads a body at once, however long it is. @throws ServiceError as {@link BodyReading.step} */
export function readRequestBody<Schema extends TObject>(
  bytes: Buffer,
  understood: UnderstoodMembers<Schema>
): RequestBody<Static<Schema>> {
  const reading = new BodyReading(bytes, understood)
  while (!reading.step());
  return reading.body
}
