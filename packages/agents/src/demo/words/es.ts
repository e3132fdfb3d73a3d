import type { DemoWords } from './demo-words.ts'

export const es: DemoWords = {
  tripWords: ['viaje', 'excursión', 'vacaciones'],
  fixWords: ['arregla', 'corrige', 'prueba', 'pruebas'],
  heard: 'He oído: {text}\n',
  again: 'Sigamos donde estábamos.\n',
  trip: {
    plan: [
      'Preguntar qué prefiere',
      'Consultar trenes y tiempo',
      'Comparar alojamientos',
      'Reservar el viaje',
    ],
    thought:
      'Dos personas, un fin de semana, en tren. Menos de cuatro horas por trayecto dejan libre casi todo el tiempo. Primero necesito saber qué tipo de lugar debe ser.',
    question: '¿Dónde prefiere pasar el fin de semana?',
    sea: {
      label: 'Junto al mar',
      place: 'Warnemünde',
      stay: 'Posada del Faro',
      walk: 'por la playa hasta el faro',
    },
    hills: {
      label: 'En la montaña',
      place: 'Wernigerode',
      stay: 'Casa del Bosque',
      walk: 'hasta el castillo',
    },
    city: { label: 'En una ciudad', place: 'Praga', stay: 'Casa del Puente', walk: 'por el puente viejo' },
    scout: 'Busca un alojamiento tranquilo para una noche, cerca de la estación.',
    compared: 'De doce alojamientos, **{stay}** es el más cercano a la estación y entra en el presupuesto.\n',
    answer: `# Un fin de semana en {place}

El tren tarda **{hours} horas** y es directo. Hará buen tiempo: 21° el sábado, 19° y quizá algo de lluvia el domingo.

## Mi propuesta

1. Tomar el tren de las 07:46 y dejar el equipaje en *{stay}*.
2. Pasear {walk}.
3. Dormir hasta tarde el domingo y comer antes de volver.

| Cuándo | Qué | Precio |
| --- | --- | ---: |
| Sábado | Tren de ida | 45 € |
| Sábado | Una noche en {stay} | 96 € |
| Domingo | Tren de vuelta | 45 € |

Para el calendario:

\`\`\`ics
BEGIN:VEVENT
DTSTART:20270515T074600
SUMMARY:Tren a {place}
END:VEVENT
\`\`\`
`,
    confirm: '¿Reservar los trenes y {stay} por {price} €?',
    consequence: 'Los billetes no se pueden devolver.',
    booked: '## Reservado\n\nEl viaje a {place} está reservado. El número es **DEMO-4711**. ¡Buen viaje!\n',
    kept: 'No se ha reservado nada. El plan queda aquí, y el precio vale hasta mañana.\n',
  },
  fix: {
    plan: [
      'Ejecutar las pruebas',
      'Encontrar la causa',
      'Cambiar el código',
      'Ejecutar las pruebas otra vez',
    ],
    thought:
      'La prueba espera 19,99 y recibe 20. Parece que se redondea a unidades enteras y no a céntimos. Miraré la función y quién la llama.',
    found: `## Qué falla

\`total()\` redondea a unidades enteras, la prueba quiere céntimos:

\`\`\`ts
return Math.round(lines.reduce((sum, { price, count }) => sum + price * count, 0))
\`\`\`

Hay dos maneras de arreglarlo, y en facturas largas difieren en un céntimo.
`,
    question: '¿Dónde se debe redondear?',
    atEnd: 'Una vez, al final',
    perLine: 'En cada línea',
    review: 'Mira el cambio en src/invoice.ts y di si es seguro.',
    reviewed: 'El cambio es pequeño y afecta a una función. Nadie más la llama.\n',
    fixed: `# Arreglado

Así se redondea: *{where}*.

\`\`\`ts
{rounding}
\`\`\`

| Pruebas | Antes | Después |
| --- | ---: | ---: |
| correctas | 41 | 42 |
| fallidas | 1 | 0 |

- Se cambió una línea, en \`src/invoice.ts\`.
- Un revisor la ha mirado.
`,
    confirm: '¿Subir el arreglo a la rama principal?',
    consequence: 'Se publica de inmediato y no se puede deshacer.',
    pushed: 'Subido como `4f2c9e1`. Todas las pruebas pasan.\n',
    kept: 'No se ha subido nada. El cambio está en su directorio de trabajo.\n',
  },
  long: {
    plan: 'Escribir un informe largo',
    title: 'Un informe largo',
    section: 'Sección',
    text: 'Este texto es largo a propósito, para que se vea cómo se comporta un flujo que no termina. Cierre la ventana, vuelva más tarde y siga leyendo en la misma palabra en la que lo dejó.',
  },
}
