/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = object

export interface Reference {
  readonly $ref: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required?: boolean
  readonly schema: Schema
  readonly explode?: boolean
}

export interface Header {
  readonly description: string
  readonly schema: Schema
}

export interface Body {
  readonly schema: Schema
  readonly example?: unknown
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Readonly<Record<string, Body>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: {
    readonly description?: string
    readonly required?: boolean
    readonly content: Readonly<Record<string, Body>>
  }
  readonly responses: Readonly<Record<string, Response>>
}

export type Method = 'get' | 'post' | 'delete'

/** The operations at one address, by method. */
export type PathItem = { readonly [M in Method]?: Operation }

export type Paths = Readonly<Record<string, PathItem>>

/** As much of OpenAPI 3.1 as the gateway needs. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly jsonSchemaDialect: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly paths: Paths
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, Header>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}
