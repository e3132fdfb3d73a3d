/** A file; its path is relative to the repository's root, with forward slashes. */
export interface Source {
  readonly path: string
  readonly text: string
}

export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path)
