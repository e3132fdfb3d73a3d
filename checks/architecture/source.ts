/** A file, its path counted from the repository's root and with forward slashes. */
export interface Source {
  readonly path: string
  readonly text: string
}

export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path)
