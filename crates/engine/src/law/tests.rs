use super::*;
use sojourn_core::Streams;

fn stream(name: &str) -> Stream {
    Streams::new(1, 0).stream(name)
}

/// Every shape at the ends of the range that scenarios allow.
fn shapes() -> Vec<(String, Shape)> {
    let mut shapes = vec![("constant".to_owned(), Shape::Constant), ("exponential".to_owned(), Shape::Exponential)];
    for deviation in [0.0, 0.3] {
        shapes.push((format!("normal, deviation {deviation}"), Shape::Normal(deviation)));
    }
    for shape in [0.05, 1.0, 10_000.0] {
        shapes.push((format!("gamma, shape {shape}"), Shape::Gamma(Gamma::new(shape))));
    }
    for deviation in [0.0, 5.0] {
        shapes.push((format!("lognormal, deviation {deviation}"), Shape::Lognormal(Lognormal::new(deviation))));
    }
    for shape in [0.3, 1.0, 100.0] {
        shapes.push((format!("weibull, shape {shape}"), Shape::Weibull(Weibull::new(shape))));
    }
    let values = [1, 2, 3, 1000].map(Duration::from_millis);
    shapes.push(("empirical, 1, 2, 3, 1000 ms".to_owned(), Law::empirical(&values).unwrap().shape));
    shapes
}

#[test]
fn the_mean_that_is_asked_for_is_the_mean_that_is_drawn() {
    let means = [Duration::from_micros(1), Duration::from_secs(3600)];
    for (name, shape) in shapes() {
        // three standard errors of the mean are half a per cent
        let draws = ((3.0 * shape.coefficient_of_variation() / 0.005).powi(2) as u64).max(10_000);
        for mean in means {
            let law = Law { mean, shape: shape.clone() };
            let mut stream = stream(&name);
            let total: f64 = (0..draws).map(|_| law.draw(&mut stream).seconds()).sum();
            let drawn = total / draws as f64;
            let off = drawn / mean.seconds() - 1.0;
            println!("{name:28} asked {:>9.3e} s, drawn {drawn:>12.6e} s, {:+.3} %", mean.seconds(), 100.0 * off);
            assert!(off.abs() < 0.005, "{name}: {drawn} s of {mean}");
        }
    }
}

/// Largest distance of the distribution of draws from a distribution function (Kolmogorov and Smirnov), times the square root of their number.
fn distance(shape: &Shape, cdf: impl Fn(f64) -> f64) -> f64 {
    const DRAWS: usize = 100_000;
    let mut stream = stream("distance");
    let mut draws: Vec<f64> = (0..DRAWS).map(|_| shape.draw(&mut stream)).collect();
    draws.sort_by(f64::total_cmp);
    let of = DRAWS as f64;
    let far = draws.iter().enumerate().map(|(number, draw)| {
        let at = cdf(*draw);
        (at - number as f64 / of).max((number + 1) as f64 / of - at)
    });
    far.fold(0.0, f64::max) * of.sqrt()
}

#[test]
fn draws_follow_the_distribution_functions() {
    // 1.63 is passed by one in a hundred
    let exponential = |x: f64| -libm::expm1(-x);
    let normal = |x: f64| 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
    let gamma_of_1 = distance(&Shape::Gamma(Gamma::new(1.0)), exponential);
    let erlang_of_2 = distance(&Shape::Gamma(Gamma::new(2.0)), |x| 1.0 - (1.0 + 2.0 * x) * libm::exp(-2.0 * x));
    // the square of a normal number has the gamma distribution of shape a half
    let half = distance(&Shape::Gamma(Gamma::new(0.5)), |x| libm::erf(libm::sqrt(x / 2.0)));
    let sigma = libm::sqrt(libm::log(2.0));
    let lognormal =
        distance(&Shape::Lognormal(Lognormal::new(1.0)), |x| normal((libm::log(x) + 0.5 * sigma * sigma) / sigma));
    let weibull_of_1 = distance(&Shape::Weibull(Weibull::new(1.0)), exponential);
    // Γ(1 + 1 / 0.5) = 2
    let heavy = distance(&Shape::Weibull(Weibull::new(0.5)), |x| exponential(libm::sqrt(2.0 * x)));
    let found = [gamma_of_1, erlang_of_2, half, lognormal, weibull_of_1, heavy];
    assert!(found.iter().all(|distance| *distance < 1.63), "{found:?}");
}

#[test]
fn draws_vary_as_much_as_their_coefficient_says() {
    for (name, shape) in shapes() {
        let wanted = shape.coefficient_of_variation();
        // the fourth moments of the heaviest are too large to find their deviation by draws
        if wanted > 2.0 {
            continue;
        }
        let mut stream = stream(&name);
        let draws: Vec<f64> = (0..400_000).map(|_| shape.draw(&mut stream)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let found = (draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / draws.len() as f64).sqrt();
        // at a third of its mean a normal number below zero is drawn again, and less is left to vary
        assert!((found - wanted).abs() <= 0.01 * wanted, "{name}: {found}, not {wanted}");
    }
}

#[test]
fn a_recorded_value_is_drawn_to_the_picosecond_and_as_often_as_the_others() {
    let values = [Duration::from_picoseconds(1), Duration::from_micros(7), Duration::from_secs(1000)];
    let (law, mut stream) = (Law::empirical(&values).unwrap(), stream("empirical"));
    let mut counts = [0_u32; 3];
    for _ in 0..30_000 {
        let drawn = law.draw(&mut stream);
        counts[values.iter().position(|value| *value == drawn).expect("it is one of them")] += 1;
    }
    // a standard deviation is 82
    assert!(counts.iter().all(|count| count.abs_diff(10_000) < 330), "{counts:?}");
    assert_eq!((Law::empirical(&[]), Law::empirical(&[Duration::ZERO])), (None, None));
}

#[test]
fn another_mean_leaves_the_variation_as_it_is() {
    let values = [1, 2, 6].map(Duration::from_millis);
    let law = Law::empirical(&values).unwrap();
    assert_eq!(law.mean, Duration::from_millis(3));
    let slow = law.with_mean(Duration::from_millis(30));
    let (mut a, mut b) = (stream("mean"), stream("mean"));
    assert!((0..100).all(|_| slow.draw(&mut a) == law.draw(&mut b).times(10)));
}

#[test]
fn durations_drawn_together_are_those_drawn_one_by_one() {
    for (name, shape) in shapes() {
        let law = Law { mean: Duration::from_millis(8), shape };
        let (mut alone, mut together) = (stream(&name), stream(&name));
        let mut durations = [Duration::ZERO; 64];
        law.draw_all(&mut together, &mut durations);
        assert!(durations.iter().all(|&duration| duration == law.draw(&mut alone)), "{name}");
    }
}

#[test]
fn the_first_draws_are_these_bits_on_every_machine() {
    let mut digest = 0_u64;
    for (_, shape) in shapes() {
        let mut stream = stream("golden");
        for _ in 0..1000 {
            digest = digest.rotate_left(5).wrapping_add(shape.draw(&mut stream).to_bits());
        }
    }
    assert_eq!(digest, 0x7521_f238_d28d_010b, "{digest:#x}");
}

#[test]
fn the_shortest_and_the_longest_time_are_known_where_there_are_some() {
    let values = [3, 1, 26].map(Duration::from_millis);
    let law = Law::empirical(&values).unwrap();
    assert_eq!((law.least(), law.most()), (values[1], Some(values[2])));
    let constant = Law::constant(values[0]);
    assert_eq!((constant.least(), constant.most()), (values[0], Some(values[0])));
    for (name, shape) in shapes() {
        let law = Law { mean: values[0], shape };
        let mut stream = stream(&name);
        let draws: Vec<Duration> = (0..10_000).map(|_| law.draw(&mut stream)).collect();
        assert!(draws.iter().all(|draw| law.least() <= *draw && law.most().is_none_or(|most| *draw <= most)), "{name}");
        let is_bounded = matches!(law.shape, Shape::Constant | Shape::Empirical(_));
        assert_eq!(law.most().is_some(), is_bounded, "{name}");
    }
}

#[test]
fn only_what_has_no_memory_is_drawn_again() {
    let (now, due) = (Time::ZERO + Duration::from_secs(1), Time::ZERO + Duration::from_secs(3));
    for (name, shape) in shapes() {
        let law = Law { mean: Duration::from_secs(2), shape };
        let mut stream = stream(&name);
        let rest: Vec<Time> = (0..10_000).map(|_| law.redraw(now, due, &mut stream)).collect();
        if law.shape == Shape::Exponential {
            let mean = rest.iter().map(|time| time.since(now).seconds()).sum::<f64>() / 10_000.0;
            assert!((mean - 2.0).abs() < 3.5 * 2.0 / 100.0, "{mean}");
        } else {
            assert!(rest.iter().all(|time| *time == due), "{name}");
        }
    }
}
